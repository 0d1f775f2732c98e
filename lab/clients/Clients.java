import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;

/**
 * Java clients: `java Clients okhttp` does one task with OkHttp. All settings are the
 * defaults. Each client gets the URL, and for a POST the body.
 */
class Clients {
    private record Response(int status, String after, String text) {}

    public static void main(String[] arguments) {
        String url = System.getenv("LAB_URL");
        String body = System.getenv("LAB_TASK").equals("post-once") ? "{\"task\": \"resize\"}" : null;
        int code = 1;
        try {
            Response response = switch (arguments[0]) {
                case "jdk" -> jdk(url, body);
                case "okhttp" -> okhttp(url, body);
                default -> httpclient(url, body);
            };
            System.out.println(report(response));
            code = response.status < 400 ? 0 : 1;
        } catch (Exception error) {
            System.out.println("{\"error\": \"" + error.getClass().getSimpleName() + "\"}");
        }
        // Threads of a pool would keep the program alive.
        System.exit(code);
    }

    private static Response jdk(String url, String body) throws Exception {
        var request = java.net.http.HttpRequest.newBuilder(URI.create(url));
        if (body != null) {
            request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
        }
        var response = java.net.http.HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        return new Response(
                response.statusCode(), response.headers().firstValue("Retry-After").orElse(""), response.body());
    }

    private static Response okhttp(String url, String body) throws Exception {
        var request = new okhttp3.Request.Builder().url(url);
        if (body != null) {
            request.post(okhttp3.RequestBody.create(okhttp3.MediaType.get("application/json"), body));
        }
        try (var response = new okhttp3.OkHttpClient().newCall(request.build()).execute()) {
            return new Response(response.code(), response.header("Retry-After", ""), response.body().string());
        }
    }

    private static Response httpclient(String url, String body) throws Exception {
        HttpUriRequestBase request = body == null ? new HttpGet(url) : new HttpPost(url);
        if (body != null) {
            request.setEntity(new StringEntity(body, ContentType.APPLICATION_JSON));
        }
        try (var client = HttpClients.createDefault()) {
            return client.execute(request, response -> {
                Header after = response.getFirstHeader("Retry-After");
                String text = response.getEntity() == null ? "" : EntityUtils.toString(response.getEntity());
                return new Response(response.getCode(), after == null ? "" : after.getValue(), text);
            });
        }
    }

    private static String report(Response response) {
        if (response.status == 200) {
            return response.text;
        }
        if (response.status < 400) {
            return "{\"status\": " + response.status + "}";
        }
        String seconds = response.after.matches("[0-9]+") ? response.after : "null";
        return "{\"error\": \"refused\", \"status\": " + response.status + ", \"retry_after\": " + seconds + "}";
    }
}

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * `java Clients jdk` does one task with the client of the JDK. All settings are the
 * defaults.
 */
class Clients {
    private record Response(int status, String after, String text) {}

    public static void main(String[] arguments) {
        String url = System.getenv("LAB_URL");
        String body = System.getenv("LAB_TASK").equals("post-once") ? "{\"task\": \"resize\"}" : null;
        int code = 1;
        try {
            Response response = jdk(url, body);
            System.out.println(report(response));
            code = response.status < 400 ? 0 : 1;
        } catch (Exception error) {
            System.out.println("{\"error\": \"" + error.getClass().getSimpleName() + "\"}");
        }
        System.exit(code);
    }

    private static Response jdk(String url, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url));
        if (body != null) {
            request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
        }
        var response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        return new Response(
                response.statusCode(), response.headers().firstValue("Retry-After").orElse(""), response.body());
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

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;

/** Java's HttpClient as it is: it retries no response and has no timeout. */
class JdkClient {
    private static final Set<String> TASKS = Set.of(
            "flaky", "retry-after", "retry-at", "maintenance", "down", "refused", "no-body",
            "post-once", "silence");

    public static void main(String[] arguments) throws InterruptedException {
        String task = System.getenv("LAB_TASK");
        if (!TASKS.contains(task)) {
            System.out.println("{\"skip\": true}");
            return;
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(System.getenv("LAB_URL")));
        if (task.equals("post-once")) {
            request.header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"task\": \"resize\"}"));
        }
        try {
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(request.build(), HttpResponse.BodyHandlers.ofString());
            report(response);
        } catch (IOException error) {
            System.out.println("{\"error\": \"" + error.getClass().getSimpleName() + "\"}");
            System.exit(1);
        }
    }

    private static void report(HttpResponse<String> response) {
        int status = response.statusCode();
        if (status == 200) {
            System.out.println(response.body());
        } else if (status < 400) {
            System.out.println("{\"status\": " + status + "}");
        } else {
            String seconds = response.headers().firstValue("Retry-After")
                    .filter(value -> value.matches("[0-9]+")).orElse("null");
            System.out.println("{\"error\": \"refused\", \"status\": " + status
                    + ", \"retry_after\": " + seconds + "}");
            System.exit(1);
        }
    }
}

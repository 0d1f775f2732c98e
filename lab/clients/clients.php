<?php
// PHP clients: `php clients.php symfony` does one task with Symfony's HttpClient. A library
// that has retries has them enabled; all other settings are the defaults. Each one gets the
// URL, and for a POST the body.

const TYPE = ['Content-Type' => 'application/json'];

$clients = [
    'symfony' => function (string $url, ?string $body): array {
        require_once 'Symfony/Component/HttpClient/autoload.php';
        $client = new Symfony\Component\HttpClient\RetryableHttpClient(
            Symfony\Component\HttpClient\HttpClient::create()
        );
        $response = $body
            ? $client->request('POST', $url, ['headers' => TYPE, 'body' => $body])
            : $client->request('GET', $url);
        $after = $response->getHeaders(false)['retry-after'][0] ?? '';
        return [$response->getStatusCode(), $after, $response->getContent(false)];
    },
];

try {
    $body = getenv('LAB_TASK') === 'post-once' ? '{"task": "resize"}' : null;
    [$status, $after, $text] = $clients[$argv[1]](getenv('LAB_URL'), $body);
    $printed = match (true) {
        $status === 200 => json_decode($text, true, flags: JSON_THROW_ON_ERROR),
        $status < 400 => ['status' => $status],
        default => ['error' => 'refused', 'status' => $status, 'retry_after' => ctype_digit($after) ? (int) $after : null],
    };
} catch (Throwable $error) {
    $printed = ['error' => get_class($error) . ': ' . $error->getMessage()];
}
echo json_encode($printed), "\n";
exit(isset($printed['error']) ? 1 : 0);

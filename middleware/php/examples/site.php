<?php
/** A website in plain PHP: `php -S 127.0.0.1:PORT site.php`, with its settings as JSON in SITE and FOLDER. */
declare(strict_types=1);

require __DIR__ . '/../src/Site.php';

use Drawbridge\Site\{Answer, Request, Settings, Site, User};

// A warning that is printed sends a 200 before the answer to a notice does.
ini_set('display_errors', '0');
ini_set('log_errors', '1');

$given = json_decode((string) getenv('SITE'), true, 16, JSON_THROW_ON_ERROR);
$site = new Site(new Settings(
    source: $given['source'], origin: $given['origin'], folder: (string) getenv('FOLDER'),
    drawbridge: $given['drawbridge'] ?? null, issuer: $given['issuer'] ?? null, clientId: $given['client_id'] ?? null,
    cookie: $given['cookie'] ?? 'access_token', proxySecret: $given['proxy_secret'] ?? null,
    webhookSecrets: $given['webhook_secrets'] ?? []));
$request = Request::current();
$path = explode('?', $request->target)[0];

header('Content-Type: text/plain; charset=utf-8');
$found = match (true) {
    $path === '/contacts' => $site->guard($request),
    str_starts_with($path, '/strong/') => $site->guard($request, ['aal9']),
    $path === '/hooks/drawbridge' => $site->webhook(file_get_contents('php://input'), $_SERVER['HTTP_DRAWBRIDGE_WEBHOOK_SIGNATURE'] ?? ''),
    $path === '/hooks/logout' => $site->backchannelLogout(file_get_contents('php://input')),
    default => null,
};
if ($found instanceof Answer) {
    $found->send();
} else {
    echo $found instanceof User ? "signed in as $found->subject" : 'for everybody';
}

<?php
/** The shared table, and what is PHP's own: `php tests/cases.php`. Status 0 when all hold. */
declare(strict_types=1);

namespace Psr\Http\Server {
    // Debian has PSR-7, not PSR-15: the two interfaces, as the standard has them.
    if (!interface_exists(MiddlewareInterface::class)) {
        interface RequestHandlerInterface
        {
            public function handle(\Psr\Http\Message\ServerRequestInterface $request): \Psr\Http\Message\ResponseInterface;
        }
        interface MiddlewareInterface
        {
            public function process(
                \Psr\Http\Message\ServerRequestInterface $request, RequestHandlerInterface $handler): \Psr\Http\Message\ResponseInterface;
        }
    }
}

namespace Drawbridge\Site {
    /** In place of PHP's own: a test says which addresses a host has. */
    function gethostbynamel(string $host): array|false
    {
        return $GLOBALS['addresses'] ?? \gethostbynamel($host);
    }
}

namespace {
    require __DIR__ . '/../src/Site.php';

    use Drawbridge\Site\{Answer, ConfigurationError, Memory, Refused, Request, Settings, Site, SiteMiddleware, Unavailable, User};

    error_reporting(E_ALL);
    set_error_handler(static function (int $level, string $message, string $file, int $line): bool {
        if (error_reporting() & $level) {
            throw new ErrorException($message, 0, $level, $file, $line);
        }
        return true;
    });

    $table = json_decode(file_get_contents(__DIR__ . '/../../cases/cases.json'), true, 64, JSON_THROW_ON_ERROR);
    $count = 0;
    $failures = [];
    $scratch = sys_get_temp_dir() . '/drawbridge-site-' . bin2hex(random_bytes(8));
    mkdir($scratch, 0700);
    register_shutdown_function(static fn () => exec('rm -rf ' . escapeshellarg($scratch)));

    function same(string $id, mixed $expected, mixed $got): void
    {
        global $count, $failures;
        $count++;
        if ($expected !== $got) {
            $failures[] = "$id: " . json_encode($got) . ' instead of ' . json_encode($expected);
        }
    }

    class Provider
    {
        public int $asked = 0;
        public mixed $serves;

        public function __construct()
        {
            global $table;
            $this->serves = $table['serves'];
        }

        public function __invoke(string $path, array $headers): array
        {
            global $table;
            $this->asked++;
            if ($this->serves === 'down') {
                throw new Unavailable('down');
            }
            if ($this->serves === 'garbage') {
                return [200, [], '<html>'];
            }
            return [200, [], json_encode(['keys' => array_map(static fn (string $name): array => $table['keys'][$name], $this->serves)])];
        }
    }

    class Clock
    {
        public int $now;

        public function __invoke(): int
        {
            return $this->now;
        }
    }

    function settings(array $changes = []): Settings
    {
        global $table, $scratch;
        static $number = 0;
        mkdir($folder = $scratch . '/' . $number++, 0700);
        $own = $table['settings'];
        return new Settings(...[
            'source' => 'cookie', 'origin' => $own['origin'], 'folder' => $folder,
            'drawbridge' => $own['drawbridge'], 'issuer' => $own['issuer'], 'clientId' => $own['client_id'], 'clients' => $own['clients'], 'cookie' => $own['cookie'],
            'webhookSecrets' => $own['webhook_secrets'], ...$changes]);
    }

    /** @return array{Site, Clock, Provider} */
    function made(array $changes = [], ?callable $fetch = null, ?int $now = null): array
    {
        global $table;
        [$clock, $provider] = [new Clock(), new Provider()];
        $clock->now = $now ?? $table['now'];
        return [new Site(settings($changes), $clock, $fetch ?? $provider), $clock, $provider];
    }

    function outcome(callable $call): string
    {
        try {
            return $call()->subject;
        } catch (Refused $refusal) {
            return $refusal->reason;
        } catch (Unavailable) {
            return 'unavailable';
        }
    }

    function header_of(Answer $answer, string $wanted): ?string
    {
        foreach ($answer->headers as [$name, $value]) {
            if ($name === $wanted) {
                return $value;
            }
        }
        return null;
    }

    /** FPM and CGI have it, the command line has not: what a visitor sent, as it came but for underscores. */
    function getallheaders(): array
    {
        return $GLOBALS['sent'] ?? [];
    }

    /** The fields of a question to Drawbridge. */
    function question(string $cookie): array
    {
        return ['Cookie' => $cookie, 'Drawbridge-Question' => '1'];
    }

    function cookie(string $token): array
    {
        return [['Cookie', "vagov_access_token=$token"]];
    }

    foreach ($table['tokens'] as $case) {
        [$site] = made([], null, $case['now']);
        try {
            $user = $site->userOf($case['token']);
            $got = ['subject' => $user->subject, 'session' => $user->session, 'acr' => $user->acr, 'amr' => $user->amr, 'auth_time' => $user->authTime];
        } catch (Refused $refusal) {
            $got = ['refused' => $refusal->reason];
        }
        same($case['id'], $case['expect'], $got);
    }
    foreach ($table['proxies'] as $case) {
        if ($case['claimed']) {
            continue; // PHP does not hear of it (docs/middleware.md).
        }
        [$site] = made(['source' => 'proxy', 'proxySecret' => $case['settings']['proxy_secret'] ?? null,
            'proxyAddresses' => $case['settings']['proxy_addresses'] ?? [], 'hosts' => $case['settings']['hosts'] ?? []]);
        [$user, $reason] = $site->identify(new Request('GET', '/', $case['headers'], $case['peer']));
        same($case['id'], $case['expect'], $user ? ['subject' => $user->subject, 'session' => $user->session, 'acr' => $user->acr] : ['refused' => $reason]);
    }
    // What FPM and CGI make of a dot: PHP has the visitor's X.Auth.Subject in place of the proxy's field.
    $server = $_SERVER;
    $_SERVER = ['REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/', 'HTTP_HOST' => 'www.example.com', 'HTTP_X_DRAWBRIDGE_PROXY' => 'proxy-secret-of-the-tests-32-chars',
        'HTTP_X_AUTH_SUBJECT' => 'bob', 'HTTP_X_AUTH_SESSION' => 's-1'];
    [$site] = made(['source' => 'proxy', 'proxySecret' => 'proxy-secret-of-the-tests-32-chars']);
    foreach (['X.auth.subject' => 'underscore', 'X-Auth.subject' => 'underscore', 'X.auth-Session' => 'underscore',
        'X.drawbridge-Proxy' => 'underscore', 'X-Auth-Subject' => null, 'X.other' => null] as $name => $reason) {
        $sent = [$name => 'bob'];
        same("under FPM: $name", $reason, $site->identify(Request::current())[1]);
    }
    [$_SERVER, $sent] = [$server, []];
    foreach ($table['cookies'] as $case) {
        $headers = array_map(static fn (string $line): array => ['Cookie', $line], $case['cookie']);
        $keys = new Provider();
        [$site] = made([], static fn (string $path, array $fields): array => match (true) {
            $path !== '/session' => $keys($path, $fields),
            isset($case['session']) && $fields === question('__Host-drawbridge_session=opaque') => [200, [], json_encode($case['session'])],
            default => throw new Unavailable('not to be asked'),
        });
        try {
            [$user, $reason] = $site->identify(new Request('GET', '/', [...$headers, ...($case['headers'] ?? [])]));
        } catch (Unavailable) {
            [$user, $reason] = [null, 'unavailable'];
        }
        same($case['id'], [$case['expect'] ?? null, $case['refused'] ?? null], [$user?->subject, $reason]);
    }
    $visitor = new Request('GET', '/', [['Cookie', '__Host-drawbridge_session=opaque']]);
    $alice = [200, [], '{"authenticated":true,"sub":"alice"}'];
    $secret = 'proxy-secret-of-the-tests-32-chars';
    /** @return mixed what `$found` says of who was found, or the reason, or "unavailable" */
    $who = static function (Site $site, Request $request, callable $found): mixed {
        try {
            [$user, $reason] = $site->identify($request);
            return $user ? $found($user) : ['refused' => $reason];
        } catch (Unavailable) {
            return 'unavailable';
        }
    };
    $identity = static fn (User $user): array => ['name' => $user->name, 'email' => $user->email, 'groups' => $user->groups];
    foreach ($table['identities'] as $case) {
        $headers = [['X-Auth-Subject', 'alice'], ['X-Auth-Session', 's-1'], ...$case['headers']];
        [$site] = made(['source' => 'proxy', 'proxySecret' => $secret, 'identity' => $case['identity']]);
        same("identity: {$case['id']}", $case['expect'], $who($site, new Request('GET', '/', [['Host', 'www.example.com'], ['X-Drawbridge-Proxy', $secret], ...$headers]), $identity));
        $wanted = $case['identity'] ? '/auth/check?identity=' . implode(',', $case['identity']) : 'nothing';
        [$site] = made(['source' => 'session', 'identity' => $case['identity']], static fn (string $path, array $fields): array => match (true) {
            $fields !== question('__Host-drawbridge_session=opaque') => throw new LogicException('other fields'),
            $path === $wanted => [200, $headers, ''],
            $path === '/session' => $alice,
        });
        same("identity asked for: {$case['id']}", isset($case['expect']['refused']) ? 'unavailable' : $case['expect'], $who($site, $visitor, $identity));
    }
    foreach ($table['identity_answers'] as $case) {
        [$site] = made(['source' => 'session', 'identity' => ['name']], static fn (string $path): array =>
            $path === '/session' ? $alice : [$case['status'], $case['headers'], '']);
        $got = $who($site, $visitor, static fn (User $user): string => $user->subject);
        same("identity asked for: {$case['id']}", $case['expect'], $got['refused'] ?? $got);
    }
    foreach ($table['outages'] as $case) {
        [$asked, $step] = [0, null];
        [$site, $clock] = made(['source' => 'session'], static function (string $path) use (&$asked, &$step): array {
            $asked++;
            $status = $step[$path === '/session' ? 'session' : 'check'];
            return $status ? [$status, [['X-Auth-Subject', 'alice']], '{"authenticated":true,"sub":"alice"}'] : throw new Unavailable('down');
        });
        foreach ($case['steps'] as $step) {
            $clock->now = $step['now'];
            $found = $site->guard($visitor, $step['acr'] ?? []);
            $got = $found instanceof User ? $found->subject : [503 => 'unavailable'][$found->status];
            same("outage: {$case['id']} at {$step['now']}", [$step['expect'], $step['asked']], [$got, $asked]);
        }
    }
    $asked = 0;
    [$site, $clock] = made(['source' => 'session'], static function () use (&$asked, $alice): array {
        return $asked++ ? $alice : throw new Unavailable('down');
    });
    $site->guard($visitor);
    // Every process of this website knows, and one of them is asking already.
    $other = new Site($site->settings, $clock, static fn (): array => $alice);
    same('an outage is known to every process', 503, $other->guard($visitor)->status);
    $clock->now += 2;
    $probe = fopen("{$site->settings->folder}/outage", 'r');
    flock($probe, LOCK_EX);
    same('after an outage one at a time asks', [503, 1], [$site->guard($visitor)->status, $asked]);
    fclose($probe);
    same('until Drawbridge answers', ['alice', 2, 'alice'], [$site->guard($visitor)->subject, $asked, $other->guard($visitor)->subject]);

    foreach ($table['rotation'] as $case) {
        [$site, $clock, $provider] = made();
        foreach ($case['steps'] as $step) {
            [$clock->now, $provider->serves] = [$step['now'], $step['serves']];
            same("{$case['id']} at {$step['now']}", [$step['expect'], $step['fetches']],
                [outcome(static fn () => $site->userOf($step['token'])), $provider->asked]);
        }
    }
    [$site, $clock, $provider] = made();
    $site->userOf($table['ended']['token']);
    $clock->now += 300;
    $another = fopen("{$site->settings->folder}/asking-for-keys", 'c');
    flock($another, LOCK_EX);
    same('while another process asks for keys this one uses those it has', ['alice', 1],
        [outcome(static fn () => $site->userOf($table['ended']['token'])), $provider->asked]);
    fclose($another);
    same('and asks once the other does not', ['alice', 2],
        [outcome(static fn () => $site->userOf($table['ended']['token'])), $provider->asked]);
    [$asked, $found] = [0, []];
    [$site, $clock] = made([], static function () use (&$asked, &$clock): array {
        $asked++;
        $clock->now += 3;
        throw new Unavailable('down');
    });
    foreach ([0, 1, 1] as $seconds) {
        $clock->now += $seconds;
        $found[] = [outcome(static fn () => $site->userOf($table['ended']['token'])), $asked];
    }
    same('after a Drawbridge that hung nobody asks for keys for two seconds',
        [['unavailable', 1], ['unavailable', 1], ['unavailable', 2]], $found);
    foreach ($table['returns'] as $case) {
        [$expect, $changes] = [$case['expect'], isset($case['sign_in']) ? ['signIn' => $case['sign_in']] : []];
        $answer = made($changes)[0]->guard(new Request($case['method'], $case['target'], $case['headers']));
        same($case['id'], [$expect['status'], $expect['location'] ?? null, $expect['challenge'] ?? null, $expect['type'] ?? null],
            [$answer->status, header_of($answer, 'Location'), header_of($answer, 'WWW-Authenticate'), header_of($answer, 'Content-Type')]);
        same("{$case['id']}: cookies", $expect['cookies'] ?? [], array_column(
            array_filter($answer->headers, static fn (array $pair): bool => $pair[0] === 'Set-Cookie'), 1));
        isset($expect['body']) && same("{$case['id']}: body", $expect['body'], $answer->body);
    }
    foreach ($table['step_ups'] as $case) {
        [$keys, $asked] = [new Provider(), []];
        [$site] = made(['source' => $case['source']], static function (string $path, array $fields) use ($case, $keys, &$asked): array {
            if ($path === '/.well-known/jwks.json') {
                return $keys($path, $fields);
            }
            $asked[] = [$path, $fields['Cookie']];
            return $path === '/session' ? [200, [], json_encode($case['session'])] : [$case['check']['status'], $case['check']['headers'], ''];
        });
        $headers = [...$case['headers'], ...array_map(static fn (string $line): array => ['Cookie', $line], $case['cookie'])];
        $found = $site->guard(new Request('GET', $case['target'], $headers), $case['acr']);
        $values = static fn (string $name): array => array_column(
            array_filter($found->headers, static fn (array $pair): bool => $pair[0] === $name), 1);
        same("step-up: {$case['id']}", [$case['expect'], $case['asked']], [$found instanceof User ? ['user' => $found->subject] : [
            'status' => $found->status, 'location' => $values('Location')[0] ?? null, 'cookies' => $values('Set-Cookie')], $asked]);
    }
    foreach ($table['demands'] as $case) {
        $keys = new Provider();
        [$site] = made([], static fn (string $path, array $headers): array => str_contains($path, 'check') ? [401, [], ''] : $keys($path, $headers));
        $found = $site->guard(new Request('GET', '/', cookie($case['token'])), $case['acr'], $case['max_age']);
        same($case['id'], $case['expect'], $found instanceof User ? $found->subject : header_of($found, 'WWW-Authenticate'));
    }
    foreach ($table['proxy_demands'] as $case) {
        [$site] = made(['source' => 'proxy', 'proxySecret' => $secret], static fn () => throw new Unavailable('down'));
        $found = $site->guard(new Request('GET', '/', $case['headers']), $case['acr']);
        same("demand behind a proxy: {$case['id']}", $case['expect'],
            $found instanceof User ? $found->subject : header_of($found, 'WWW-Authenticate') ?? $found->status);
    }
    foreach (['webhooks', 'logouts'] as $kind) {
        foreach ($table[$kind] as $case) {
            [$site, $clock] = made();
            $heard = 0;
            $handle = static function () use (&$heard): void { $heard++; };
            foreach ($case['steps'] as $step) {
                $clock->now = $step['now'];
                $answer = $kind === 'webhooks' ? $site->webhook($step['body'], $step['header'], $handle) : $site->backchannelLogout($step['form'], $handle);
                same("$kind: {$case['id']}", [$step['status'], $step['expect']], [$answer->status, json_decode($answer->body, true)['result']]);
            }
            same("$kind: {$case['id']}: handled", count(array_filter($case['steps'], static fn (array $step): bool => $step['expect'] === 'handled')), $heard);
        }
    }

    $ended = $table['ended'];
    [$site] = made();
    same('before the end', 'alice', outcome(static fn () => $site->userOf($ended['token'])));
    $site->webhook($ended['webhook']['body'], $ended['webhook']['header']);
    same('an ended session is nobody\'s', 'ended', outcome(static fn () => $site->userOf($ended['token'])));
    $site->backchannelLogout($ended['logout']['form']);
    same('a session that logged out is nobody\'s', 'ended', outcome(static fn () => $site->userOf($ended['logged_out_token'])));
    same('another session goes on', 'alice', outcome(static fn () => $site->userOf($ended['other_token'])));
    [$late, $clock] = made();
    $late->webhook($ended['webhook']['body'], $ended['webhook']['header']);
    $clock->now = $ended['late'];
    same('a session that ended stays nobody\'s for as long as its tokens may live', 'ended',
        outcome(static fn () => $late->userOf($ended['lasting_token'])));
    [$proxied] = made(['source' => 'proxy', 'proxySecret' => $ended['proxy_secret']]);
    $asked = new Request('GET', '/', $ended['proxy_headers']);
    same('before the end, by the proxy', 'alice', $proxied->identify($asked)[0]?->subject);
    $proxied->webhook($ended['webhook']['body'], $ended['webhook']['header']);
    same('what a proxy says of a session that ended is nobody\'s', 'ended', $proxied->identify($asked)[1]);
    // Another process of this website knows it too.
    $other = new Site($site->settings, static fn (): int => $table['now'], static fn () => throw new Unavailable('not asked'));
    same('every process knows', 'ended', outcome(static fn () => $other->userOf($ended['token'])));

    foreach ([['source' => 'proxy'], ['source' => 'proxy', 'proxySecret' => 'short'], ['source' => 'proxy', 'proxyAddresses' => ['proxy']],
        ['issuer' => null], ['clientId' => null], ['source' => 'else'], ['origin' => 'http://www.example.com'],
        ['issuer' => 'http://id.example.com'], ['webhookSecrets' => ['short']], ['leeway' => 600], ['logoutAlgorithms' => ['HS256']],
        ['source' => 'session', 'identity' => ['phone']], ['identity' => ['name']],
        ['source' => 'session', 'identity' => ['name'], 'drawbridge' => null],
        ['hosts' => ['https://www.example.com']], ['hosts' => ['']], ['folder' => '/tmp']] as $changes) {
        try {
            settings($changes);
            $got = 'taken';
        } catch (ConfigurationError) {
            $got = 'refused';
        }
        same('settings that would believe anybody: ' . json_encode($changes), 'refused', $got);
    }

    foreach ([['webhookSecrets' => []], ['source' => 'session', 'issuer' => null], ['source' => 'session', 'clientId' => null],
        ['source' => 'session', 'clientId' => '']] as $number => $changes) {
        [$site] = made($changes);
        try {
            $got = $number === 0 ? $site->webhook($ended['webhook']['body'], $ended['webhook']['header'])->status
                : $site->backchannelLogout($ended['logout']['form'])->status;
        } catch (ConfigurationError) {
            $got = 'an error';
        }
        same('a receiver without the settings that it needs: ' . json_encode($changes), 'an error', $got);
    }
    foreach (['down', 'garbage'] as $serves) {
        [$site, , $provider] = made();
        $provider->serves = $serves;
        same("a logout token comes again when keys cannot be had: $serves", 503, $site->backchannelLogout($ended['logout']['form'])->status);
    }
    foreach ([null, ''] as $client) {
        [$site] = made(['source' => 'session', 'clientId' => $client]);
        same('a webhook needs no client: ' . json_encode($client), 200, $site->webhook($ended['webhook']['body'], $ended['webhook']['header'])->status);
    }

    [$site] = made(['source' => 'proxy', 'proxySecret' => 'a proxy\'s secret of 32 characters', 'webhookSecrets' => ['a webhook\'s secret of 32 characters']]);
    $asked = new Request('GET', '/a', [['X-Drawbridge-Proxy', 'a proxy\'s secret of 32 characters'], ['Cookie', 'token=secret']]);
    foreach ([$site, $site->settings, $asked] as $object) {
        ob_start();
        var_dump($object);
        $printed = ob_get_clean() . print_r($object, true);
        same('what is printed of ' . $object::class . ' has no secret', 0, preg_match('~secret of|token=~', $printed));
    }
    same('but the rest of it', ['https://www.example.com', '/a'], [$site->settings->__debugInfo()['origin'], $asked->__debugInfo()['target']]);
    try {
        ini_set('zend.exception_ignore_args', '0');
        settings(['proxySecret' => 'a proxy\'s secret of 32 characters', 'webhookSecrets' => ['a webhook\'s secret of 32 characters'], 'leeway' => 600]);
    } catch (ConfigurationError $refused) {
        // Of the frames, that of the settings: the others are this test's. PHP 8.1 has nothing that keeps a secret out of it.
        [$frame] = array_values(array_filter($refused->getTrace(), static fn (array $frame): bool => $frame['function'] === '__construct'));
        $secrets = [$frame['args'][9], $frame['args'][11]];
        same('the trace of settings that are refused has no secret', PHP_VERSION_ID < 80200,
            str_contains(print_r($secrets, true), 'secret of'));
    } finally {
        ini_restore('zend.exception_ignore_args');
    }

    $memory = new Memory("$scratch/memory", 2);
    $written = static fn (string $text, int $at): bool => touch("$scratch/memory/" . hash('sha256', $text), $at);
    same('in a full memory the oldest makes room', ['new', true, 'new', true, 'new', 'known', false, true, 10], [
        $memory->add('a', 10, 0), $written('a', 1), $memory->add('b', 11, 0), $written('b', 2), $memory->add('c', 12, 0), $memory->add('b', 20, 0),
        $memory->has('a', 0), $memory->has('b', 0), $memory->forgotten()]);
    same('but whose time is over is not forgotten early', ['new', 10], [$memory->add('d', 30, 15), $memory->forgotten()]);
    same('a memory without any room is full', 'full', (new Memory("$scratch/no-memory", 0))->add('a', 10, 0));
    // Where a folder takes nothing, as one of another user's: these hold for root too.
    ini_set('error_log', "$scratch/errors");
    mkdir("$scratch/taken/.lock", 0700, true);
    same('a memory that cannot be locked is full', 'full', (new Memory("$scratch/taken"))->add('a', 10, 0));
    same('and the log says where', 1, substr_count((string) file_get_contents("$scratch/errors"), "$scratch/taken"));
    mkdir("$scratch/taken-name/" . hash('sha256', 'a'), 0700, true);
    same('a memory that cannot be written is full', 'full', (new Memory("$scratch/taken-name"))->add('a', 10, 0));
    same('and the log says where it cannot', 1, substr_count((string) file_get_contents("$scratch/errors"), "$scratch/taken-name cannot be written"));
    mkdir("$scratch/taken-mark/.forgotten", 0700, true);
    $memory = new Memory("$scratch/taken-mark", 2);
    same('in a full memory none makes room of which it cannot be remembered', ['new', 'new', 'full', true, true], [
        $memory->add('a', 10, 0), $memory->add('b', 11, 0), $memory->add('c', 12, 0), $memory->has('a', 0), $memory->has('b', 0)]);
    same('and the log says that it cannot', 1, substr_count((string) file_get_contents("$scratch/errors"), "$scratch/taken-mark cannot be written"));
    same('a memory that is only full says nothing', ['full', false], [
        (new Memory("$scratch/no-memory", 0))->add('b', 10, 0), str_contains((string) file_get_contents("$scratch/errors"), 'no-memory')]);
    ini_set('error_log', '');
    mkdir("$scratch/earlier", 0700);
    for ($i = 0; $i < 3; $i++) {
        file_put_contents("$scratch/earlier/" . hash('sha256', "of an earlier version $i"), '10');
    }
    same('what is there already is counted', ['new', 2], [(new Memory("$scratch/earlier", 2))->add('a', 10, 0), count(glob("$scratch/earlier/*"))]);
    $memory = new Memory("$scratch/large", 20);
    for ($i = 0; $i < 60; $i++) {
        $memory->add("$i", 10, 0);
        $i % 3 && $memory->forget("$i");
    }
    same('it does not grow beyond its limit', true, count(glob("$scratch/large/*")) <= 20);

    $moved = new Clock();
    $moved->now = $table['now'];
    $small = static function (int $ended, int $notices) use ($moved): Site {
        $site = (new ReflectionClass(Site::class))->newInstanceWithoutConstructor();
        $settings = settings();
        foreach (['settings' => $settings, 'now' => $moved(...), 'fetch' => (new Provider())(...),
            'ended' => new Memory("$settings->folder/ended", $ended), 'notices' => new Memory("$settings->folder/notices", $notices)] as $name => $value) {
            (new ReflectionProperty(Site::class, $name))->setValue($site, $value);
        }
        return $site;
    };
    [$site, $handled] = [$small(0, 1000), 0];
    $handle = static function () use (&$handled): void { $handled++; };
    foreach ([$site->webhook($ended['webhook']['body'], $ended['webhook']['header'], $handle), $site->backchannelLogout($ended['logout']['form'], $handle)] as $answer) {
        same('while the ended sessions are full a notice comes again unhandled', [503, 'full', 0], [$answer->status, json_decode($answer->body, true)['result'], $handled]);
    }
    $site = $small(1000, 0);
    same('while the notices are full one is handled', [200, 1, 'ended'], [
        $site->webhook($ended['webhook']['body'], $ended['webhook']['header'], $handle)->status, $handled,
        outcome(static fn () => $site->userOf($ended['token']))]);
    $site = $small(1000, 2);
    $site->notices->add('a', $table['now'] + 86_400, $table['now']);
    $site->notices->add('b', $table['now'] + 86_400, $table['now']);
    same('notices of others keep none away', 'handled',
        json_decode($site->webhook($ended['webhook']['body'], $ended['webhook']['header'])->body, true)['result']);
    $site = $small(2, 1000);
    $got = [];
    $site->webhook($ended['webhook']['body'], $ended['webhook']['header']);
    touch(glob("{$site->settings->folder}/ended/*")[0], 1);
    foreach ($ended['more'] as $more) {
        $moved->now = $more['now'];
        $got[] = json_decode($site->webhook($more['body'], $more['header'])->body, true)['result'];
        foreach (['lasting_token', 'other_lasting_token', 'later_token'] as $name) {
            $got[] = outcome(static fn () => $site->userOf($ended[$name]));
        }
    }
    same('more ends than there is room for are handled, and tokens that are older than a forgotten one are nobody\'s',
        ['handled', 'ended', 'alice', 'alice', 'handled', 'ended', 'ended', 'alice'], $got);
    $moved->now = $table['now'];
    $site = $small(1000, 1);
    same('what was handled is remembered in the last place that there is', ['handled', 'known'], array_map(
        static fn (): string => json_decode($site->webhook($ended['webhook']['body'], $ended['webhook']['header'])->body, true)['result'], [1, 2]));

    [$site] = made();
    $step = $table['webhooks'][0]['steps'][0];
    // Whatever it throws: an uncaught one is a 200 where errors are not displayed.
    ini_set('error_log', "$scratch/errors");
    foreach ([new LogicException('of the handler'), new TypeError('of the handler')] as $failure) {
        $answer = $site->webhook($step['body'], $step['header'], static fn () => throw $failure);
        same('a handler that fails is 500', [500, 'failed'], [$answer->status, json_decode($answer->body, true)['result']]);
    }
    same('and is heard of', 2, substr_count((string) file_get_contents("$scratch/errors"), 'of the handler'));
    ini_set('error_log', '');
    same('a notice whose handling failed comes again', 200, $site->webhook($step['body'], $step['header'])->status);
    [$site] = made();
    $said = static fn (?callable $handle = null): array => [
        ($answer = $site->webhook($step['body'], $step['header'], $handle))->status, json_decode($answer->body, true)['result']];
    ini_set('error_log', "$scratch/errors");
    $said(static function () use ($said, &$meanwhile): void {
        $meanwhile = $said();
        throw new LogicException('failed');
    });
    ini_set('error_log', '');
    same('a repeat of a notice in hand is sent again', [503, 'in_hand'], $meanwhile);
    same('and is handled then, once', [[200, 'handled'], [200, 'known']], [$said(), $said()]);

    // What the web server says after a handler that ended the process, and after others.
    file_put_contents("$scratch/hook.php", '<?php require ' . var_export(dirname(__DIR__) . '/src/Site.php', true) . <<<'HOOK'
        ;
        $handle = match (explode('&', $_SERVER['QUERY_STRING'])[0]) {
            'exit' => static fn () => exit,
            'memory' => static fn () => str_repeat('x', 1 << 30),
            'failure' => static fn () => throw new LogicException('of the handler'),
            'success' => static fn () => null,
        };
        $site = new Drawbridge\Site\Site(new Drawbridge\Site\Settings(...json_decode(getenv('SITE'), true)), static fn () => (int) getenv('NOW'));
        $answer = $site->webhook(file_get_contents('php://input'), $_SERVER['HTTP_DRAWBRIDGE_WEBHOOK_SIGNATURE'], $handle);
        // As it is where the page sends no answer of its own.
        str_starts_with($_SERVER['REQUEST_URI'], '/sent?') && $answer->send();
        HOOK);
    // And where the folder cannot be used: after a redeploy by another user, or with a full disk.
    $taken = [
        '/sent?success&no-folder' => static fn (string $folder) => rmdir($folder),
        '/sent?success&no-mode' => static fn (string $folder) => chmod($folder, 0755),
        '/sent?success&ended' => static fn (string $folder) => touch("$folder/ended"),
        '/sent?success&ended-lock' => static fn (string $folder) => mkdir("$folder/ended/.lock", 0700, true),
        '/sent?success&notices-lock' => static fn (string $folder) => mkdir("$folder/notices/.lock", 0700, true),
    ];
    $statuses = ['/?exit' => 500, '/?memory' => 500, '/?failure' => 200, '/?success' => 200, '/sent?success' => 200,
        '/sent?success&no-folder' => 500, '/sent?success&no-mode' => 500, '/sent?success&ended' => 500, '/sent?success&ended-lock' => 503,
        '/sent?success&notices-lock' => 200, '/sent?success&no-secret' => 500];
    foreach ($statuses as $target => $expected) {
        mkdir($folder = "$scratch/hook-" . md5($target), 0700);
        isset($taken[$target]) && $taken[$target]($folder);
        $given = ['source' => 'session', 'origin' => 'https://www.example.com', 'folder' => $folder,
            'webhookSecrets' => str_ends_with($target, '&no-secret') ? [] : $table['settings']['webhook_secrets']];
        $cgi = proc_open([PHP_BINARY, '-n', '-S', '127.0.0.1:0', '-d', 'memory_limit=64M', "$scratch/hook.php"],
            [1 => ['file', '/dev/null', 'w'], 2 => ['pipe', 'w']], $pipes, null, ['SITE' => json_encode($given), 'NOW' => (string) $table['now']]);
        preg_match('~http://([0-9.:]+)~', (string) fgets($pipes[2]), $match);
        $context = stream_context_create(['http' => ['method' => 'POST', 'content' => $step['body'], 'ignore_errors' => true,
            'header' => ["Drawbridge-Webhook-Signature: {$step['header']}", 'Content-Type: application/json']]]);
        $body = (string) @file_get_contents("http://$match[1]$target", false, $context);
        same("the status after a handler: $target", $expected, (int) explode(' ', $http_response_header[0] ?? 'no answer')[1]);
        $expected !== 500 && same("and no warning in it: $target", false, str_contains($body, 'Warning'));
        proc_terminate($cgi);
    }

    // Somebody sends a byte now and then: each is in time, all together are not.
    $trickle = proc_open([PHP_BINARY, '-n', '-r', 'while (true) { echo "x"; usleep(20000); }'], [1 => ['pipe', 'w']], $pipes);
    try {
        (new ReflectionMethod(Site::class, 'exchange'))->invoke(null, $pipes[1], '', microtime(true) + 0.3);
        same('an answer that trickles is given up', true, false);
    } catch (Unavailable $slow) {
        same('an answer that trickles is given up in time', 'Drawbridge is too slow', $slow->getMessage());
    } finally {
        proc_terminate($trickle);
    }
    $endless = proc_open([PHP_BINARY, '-n', '-r', '$x = str_repeat("x", 8192); while (@fwrite(STDOUT, $x)) { }'], [1 => ['pipe', 'w']], $pipes);
    try {
        (new ReflectionMethod(Site::class, 'exchange'))->invoke(null, $pipes[1], '', microtime(true) + 1);
        same('an answer without an end is given up', true, false);
    } catch (Unavailable $large) {
        same('an answer without an end is given up before it fills the memory', "Drawbridge's answer is too large", $large->getMessage());
    } finally {
        proc_terminate($endless);
    }
    $whole = (new ReflectionMethod(Site::class, 'whole'))->invoke(...);
    $long = str_repeat('x', 262_144);
    foreach ([
        "HTTP/1.1 200 OK\r\nX-A: b:c\r\nContent-Length: 2\r\n\r\nok" => [200, [['X-A', 'b:c'], ['Content-Length', '2']], 'ok'],
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1;x=y\r\n!\r\n0\r\n\r\n" => [200, [['Transfer-Encoding', 'chunked']], 'ok!'],
        "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n" => [302, [['Content-Length', '0']], ''],
        "HTTP/1.1 200 OK\r\n\r\n$long" => [200, [], $long],
        "HTTP/1.1 200 OK\r\n\r\n{$long}x" => 'Drawbridge gave no whole answer',
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok" => 'Drawbridge gave no whole answer',
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n" => 'Drawbridge gave no whole answer',
        "HTTP/1.1 200 OK\r\n" => 'Drawbridge gave no whole answer',
        '220 smtp.example.com' => 'Drawbridge gave no whole answer',
    ] as $text => $expected) {
        try {
            $got = $whole(null, $text);
        } catch (Unavailable $none) {
            $got = $none->getMessage();
        }
        same('an answer: ' . json_encode(substr($text, 0, 100)), $expected, $got);
    }

    foreach ([[500, '', 503], [200, '<html>', 503], [200, '{"authenticated":true}', 503], [303, '', 503],
        [200, '{"authenticated":"true","sub":"alice"}', 401], [200, '{}', 401]] as [$status, $body, $expected]) {
        [$site] = made(['source' => 'session'], static fn (): array => [$status, [], $body]);
        $request = new Request('GET', '/', [['Cookie', 'shop=1; __Host-drawbridge_session=abc'], ['X-Auth-Subject', 'bob']]);
        same("a session that cannot be asked: $body", $expected, $site->guard($request)->status);
    }
    $asked = [];
    [$site] = made(['source' => 'session'], static function (string $path, array $headers) use (&$asked): array {
        $asked[] = [$path, $headers];
        return [200, [], '{"authenticated":true,"sub":"alice","auth_time":"2027-01-15T08:00:00.000Z"}'];
    });
    same('the session is asked', ['alice', 1_800_000_000], (static function () use ($site, $request): array {
        $user = $site->guard($request);
        return [$user->subject, $user->authTime];
    })());
    same('with Drawbridge\'s cookies alone', [['/session', question('__Host-drawbridge_session=abc')]], $asked);
    [$asked, $keys] = [[], new Provider()];
    [$site] = made([], static function (string $path, array $headers) use (&$asked, $keys): array {
        $asked[] = [$path, $headers];
        return $keys($path, $headers);
    });
    $site->userOf($ended['token']);
    same('keys are asked for as everything is', [['/.well-known/jwks.json', ['Drawbridge-Question' => '1']]], $asked);

    foreach ([[302, [['Location', '/sign-in?redirect=%2Fx'], ['Set-Cookie', 'a=b'], ['Server', 'x']], 303], [200, [['X-Auth-Subject', 'alice']], 'alice'],
        [200, [['X-Auth-Subject', 'bob']], 303], [500, [], 503]] as [$status, $headers, $expected]) {
        $keys = new Provider();
        [$site] = made([], static fn (string $path, array $fields): array =>
            $path === '/auth/check?acr=aal9&max_age=5&redirect=%2Fx' ? [$status, $headers, ''] : $keys($path, $fields));
        $found = $site->guard(new Request('GET', '/x', [...cookie($ended['token']), ['Accept', 'text/html']]), ['aal9'], 5);
        same("step-up: $status", $expected, $found instanceof User ? $found->subject : $found->status);
        $status === 302 && same('step-up passes Location and cookies on', [['Location', '/sign-in?redirect=%2Fx'], ['Set-Cookie', 'a=b'], ['Cache-Control', 'no-store']], $found->headers);
    }

    // What a website's log or tracker takes from an error: arguments too, where `zend.exception_ignore_args` is off.
    ini_set('zend.exception_ignore_args', '0');
    $silent = stream_socket_server('tcp://127.0.0.1:0');
    $site = new Site(new Settings(source: 'session', origin: 'http://' . stream_socket_get_name($silent, false),
        folder: (static function () use ($scratch): string {
            mkdir("$scratch/traced", 0700);
            return "$scratch/traced";
        })()));
    $said = [];
    try {
        $site->identify(new Request('GET', '/', [['Cookie', '__Host-drawbridge_session=told-to-nobody']]));
    } catch (Unavailable $away) {
        foreach ($away->getTrace() as $frame) {
            array_walk_recursive($frame, static function (mixed $value) use (&$said, $frame): void {
                is_string($value) && str_contains($value, 'told-to-nobody') && $said[] = $frame['function'];
            });
        }
    }
    same('no trace of an outage has the cookie', [true, []], [isset($away), $said]);

    // Of two addresses of Drawbridge's host the first does not answer at all: nobody accepts there, and its queue is full.
    $full = stream_socket_server('tcp://127.0.0.1:0', context: stream_context_create(['socket' => ['backlog' => 0]]));
    $port = parse_url('tcp://' . stream_socket_get_name($full, false), PHP_URL_PORT);
    $waiting = [];
    for ($i = 0; $i < 4; $i++) {
        $waiting[] = @stream_socket_client("tcp://127.0.0.1:$port", flags: STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT);
    }
    $answer = "HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n{\"authenticated\":true,\"sub\":\"alice\"}";
    $server = proc_open([PHP_BINARY, '-r', '$s = stream_socket_server("tcp://127.0.0.3:$argv[1]"); echo "."; $c = stream_socket_accept($s, 9);'
        . ' fread($c, 4096); fwrite($c, $argv[2]); fclose($c);', (string) $port, $answer], [1 => ['pipe', 'w']], $pipes);
    fread($pipes[1], 1);
    $addresses = ['127.0.0.3'];
    mkdir("$scratch/addresses", 0700);
    $site = new Site(new Settings(source: 'session', origin: "http://localhost:$port", folder: "$scratch/addresses"));
    $begun = microtime(true);
    $found = $site->guard(new Request('GET', '/', [['Cookie', '__Host-drawbridge_session=abc']]));
    same('an address out of reach leaves time for the next', 'alice', $found instanceof User ? $found->subject : $found->status);
    same('all addresses within the patience', true, microtime(true) - $begun < 3.5);
    $addresses = null;
    proc_terminate($server);

    // Debian has most extensions in files of their own, which no php.ini loads here.
    mkdir("$scratch/bare", 0700);
    $bare = 'require $argv[1]; $given = new Drawbridge\Site\Settings(source: "session", origin: "https://www.example.com", folder: $argv[2],'
        . ' proxyAddresses: ["10.0.0.0/8"]); $asked = new Drawbridge\Site\Request("GET", "/a", [["Accept", "text/html"]]);'
        . ' echo (new Drawbridge\Site\Site($given))->guard($asked)->status;';
    same('it takes no extension besides json and openssl', '303', shell_exec(implode(' ', array_map(escapeshellarg(...), [
        PHP_BINARY, '-n', '-r', $bare, dirname(__DIR__) . '/src/Site.php', "$scratch/bare"]))));

    // A limit on the size of files is like a full disk.
    mkdir("$scratch/no-room", 0700);
    $asks = 'require $argv[1]; $given = new Drawbridge\Site\Settings(source: "cookie", origin: "https://www.example.com", folder: $argv[2],'
        . ' issuer: "https://id.example.com", clientId: "web", cookie: "at"); $asked = new Drawbridge\Site\Request("GET", "/", [["Cookie", "at=$argv[3]"]]);'
        . ' $site = new Drawbridge\Site\Site($given, fn () => (int) $argv[4], fn () => [200, [], $argv[5]]); echo $site->guard($asked)->subject;';
    $said = (string) shell_exec("trap '' XFSZ; ulimit -f 0; " . implode(' ', array_map(escapeshellarg(...), [
        PHP_BINARY, '-n', '-d', 'error_log=', '-r', $asks, dirname(__DIR__) . '/src/Site.php', "$scratch/no-room",
        $table['tokens'][0]['token'], (string) $table['now'], (new Provider())('', [])[2]])) . ' 2>&1');
    same('keys that cannot be written down are told, and hold', [1, true], [
        substr_count($said, "$scratch/no-room/keys.json cannot be written"), str_ends_with($said, 'alice')]);

    // PSR-15, over a PSR-7 that others wrote.
    require '/usr/share/php/Nyholm/Psr7/autoload.php';
    require __DIR__ . '/../src/SiteMiddleware.php';
    $factory = new Nyholm\Psr7\Factory\Psr17Factory();
    $handler = new class ($factory) implements Psr\Http\Server\RequestHandlerInterface {
        public function __construct(private readonly Nyholm\Psr7\Factory\Psr17Factory $factory)
        {
        }

        public function handle(Psr\Http\Message\ServerRequestInterface $request): Psr\Http\Message\ResponseInterface
        {
            return $this->factory->createResponse()->withHeader('Subject', $request->getAttribute(User::class)->subject);
        }
    };
    $middleware = new SiteMiddleware(made()[0], $factory);
    $request = $factory->createServerRequest('GET', 'https://www.example.com/a?b=c')->withHeader('Accept', 'text/html');
    $response = $middleware->process($request, $handler);
    same('PSR-15 sends visitors to the sign-in', [303, '/session/sign-in?redirect=%2Fa%3Fb%3Dc'], [$response->getStatusCode(), $response->getHeaderLine('Location')]);
    $response = $middleware->process($request->withHeader('Cookie', cookie($ended['token'])[0][1]), $handler);
    same('PSR-15 says the user', [200, 'alice'], [$response->getStatusCode(), $response->getHeaderLine('Subject')]);

    // Mezzio takes a path that leads to a middleware out of the request.
    foreach (['/members/a?b=c' => '/members/a?b=c', 'http://www.example.com/members/a' => '/a', '' => '/a'] as $asked => $target) {
        $mounted = $factory->createServerRequest('GET', 'https://www.example.com/a', ['REQUEST_URI' => $asked]);
        same("PSR-15 below a path: $asked", $target, SiteMiddleware::read($mounted)->target);
    }

    $sent = ['X.auth.subject' => 'bob', 'X-Other' => '1'];
    same('PSR-15 sees the dots that its request has lost', ['X.auth.subject', 'bob'], SiteMiddleware::read($request)->headers[0]);

    foreach ($failures as $failure) {
        fwrite(STDERR, "$failure\n");
    }
    echo "$count checks, ", count($failures), " failures\n";
    exit($failures ? 1 : 0);
}

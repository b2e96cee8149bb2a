<?php
/** Who is signed in by Drawbridge at a website: plain PHP 8.1, no dependency. SiteMiddleware.php is its PSR-15 face. */
declare(strict_types=1);

namespace Drawbridge\Site;

/** Settings that cannot work, or that would believe anybody. */
final class ConfigurationError extends \InvalidArgumentException
{
    public function __construct(string $sentence)
    {
        parent::__construct($sentence);
        // Where errors are displayed (`display_errors`), what nobody catches is a 200, and a notice settled that nobody heard.
        headers_sent() || http_response_code(500);
    }
}

/** Nobody can say now who this is: 503, never "signed out" and never "signed in". */
final class Unavailable extends \RuntimeException
{
}

/** What must not be believed; `reason` is one short word for the log. One that is not final may be believed later. */
final class Refused extends \RuntimeException
{
    public function __construct(public readonly string $reason, public readonly bool $isFinal = true)
    {
        parent::__construct($reason);
    }
}

/** What a website says of itself; docs/middleware.md has the table. */
final class Settings
{
    /** What keys verify here, each the one that its kind says. */
    public const ALGORITHMS = ['ES256', 'RS256'];

    /** What /auth/check says beyond the subject, where it is asked. */
    private const IDENTITY = ['name', 'email', 'groups'];

    public function __construct(
        public readonly string $source,
        public readonly string $origin,
        /** A folder of this website's own, mode 0700, where what its processes share is kept. */
        public readonly string $folder,
        public readonly ?string $drawbridge = null,
        public readonly ?string $issuer = null,
        public readonly ?string $clientId = null,
        /** @var string[] */
        public readonly array $clients = [],
        public readonly string $cookie = 'access_token',
        public readonly ?string $audience = null,
        #[\SensitiveParameter]
        public readonly ?string $proxySecret = null,
        /** @var string[] */
        public readonly array $proxyAddresses = [],
        /** @var string[] */
        #[\SensitiveParameter]
        public readonly array $webhookSecrets = [],
        /** @var string[] */
        public readonly array $logoutAlgorithms = self::ALGORITHMS,
        public readonly string $signIn = '/session/sign-in',
        public readonly int $leeway = 30,
        public readonly int $keysFresh = 300,
        public readonly int $keysPause = 30,
        public readonly int $keysStale = 3600,
        /**
         * Which of `name`, `email` and `groups` a user has. The proxy has to ask for them and to take away what visitors
         * send; with the source `session` each request costs a second question.
         *
         * @var string[]
         */
        public readonly array $identity = [],
        /**
         * What the proxy may have in Host beside the origin's: further names of this website, or the one by which it asks.
         *
         * @var string[]
         */
        public readonly array $hosts = [],
    ) {
        $refuse = static fn (string $sentence) => throw new ConfigurationError($sentence);
        in_array($source, ['proxy', 'cookie', 'session'], true) || $refuse('source must be proxy, cookie or session');
        foreach (['origin' => $origin, 'drawbridge' => $drawbridge, 'issuer' => $issuer] as $name => $value) {
            if ($value === null) {
                continue;
            }
            $url = parse_url($value) ?: [];
            $plain = in_array($url['host'] ?? '', ['127.0.0.1', '[::1]', 'localhost'], true);
            $scheme = $url['scheme'] ?? '';
            (isset($url['host']) && ($scheme === 'https' || ($plain && $scheme === 'http')))
                || $refuse("$name must be an https address (http on loopback), not $value");
            (isset($url['query']) || isset($url['fragment']) || isset($url['user']) || str_ends_with($value, '/'))
                && $refuse("$name must have no query, fragment, user or slash at its end");
        }
        if ($source === 'proxy' && $proxySecret === null && $proxyAddresses === []) {
            $refuse('X-Auth-* of anybody would be believed: set proxySecret or proxyAddresses');
        }
        $proxySecret === null || strlen($proxySecret) >= 32 || $refuse('proxySecret must have 32 characters or more');
        $source !== 'cookie' || ($issuer && $clientId) || $refuse('the source cookie needs issuer and clientId');
        foreach ($webhookSecrets as $secret) {
            strlen($secret) >= 32 || $refuse('a webhook secret must have 32 characters or more');
        }
        array_diff($logoutAlgorithms, self::ALGORITHMS) && $refuse('logoutAlgorithms must be ES256, RS256 or both');
        array_diff($identity, self::IDENTITY) && $refuse('identity must hold nothing but name, email and groups');
        $identity && $source === 'cookie' && $refuse('an access token does not say identity: the source must be proxy or session');
        $identity && $source === 'session' && $drawbridge === null
            && $refuse('identity with the source session needs drawbridge: /auth/check is not at the website\'s origin');
        ($leeway >= 0 && $leeway <= 60) || $refuse('leeway must be 0 to 60 seconds');
        foreach ($proxyAddresses as $text) {
            [$address, $bits] = array_pad(explode('/', $text, 2), 2, null);
            $packed = @inet_pton($address);
            ($packed !== false && ($bits === null || (preg_match('~\A[0-9]+\z~', $bits) && (int) $bits <= 8 * strlen($packed))))
                || $refuse("proxyAddresses: $text is no address");
        }
        foreach ($hosts as $host) {
            (is_string($host) && preg_match('~\A[\w.:\[\]-]+\z~', $host))
                || $refuse('hosts must be names as in Host, such as www.example.com or localhost:8443');
        }
        (is_dir($folder) && (fileperms($folder) & 0077) === 0) || $refuse("$folder is no folder that is this website's alone (mode 0700)");
    }

    /** Whether a request of the proxy's is about this website: in one Host, which is the origin's or among `hosts`. */
    public function isOwnHost(Request $request): bool
    {
        $origin = parse_url($this->origin);
        $standard = strtolower($origin['scheme']) === 'https' ? '~:443\z~' : '~:80\z~';
        $plain = static fn (string $host): string => preg_replace($standard, '', strtolower($host));
        $own = [$origin['host'] . (isset($origin['port']) ? ":{$origin['port']}" : ''), ...$this->hosts];
        $said = array_unique(array_map($plain, $request->values('host')));
        return count($said) === 1 && in_array($said[0], array_map($plain, $own), true);
    }

    /** What is printed of them: the rest of them. */
    public function __debugInfo(): array
    {
        return array_diff_key(get_object_vars($this), ['proxySecret' => 0, 'webhookSecrets' => 0]);
    }
}

final class User
{
    /**
     * @param string[] $amr
     * @param string[] $groups
     */
    public function __construct(
        public readonly string $subject,
        public readonly ?string $session = null,
        public readonly ?string $acr = null,
        public readonly array $amr = [],
        /** Unix seconds of the sign-in, where the source knows it: not with `proxy`. */
        public readonly ?int $authTime = null,
        /** This and the next two where the setting `identity` names them, as far as Drawbridge says them to this website. */
        public readonly ?string $name = null,
        public readonly ?string $email = null,
        public readonly array $groups = [],
    ) {
    }
}

/** What the website answers instead of its page. `headers` are pairs. */
final class Answer
{
    /** @param array<array{string, string}> $headers */
    public function __construct(public readonly int $status, public readonly array $headers = [], public readonly string $body = '')
    {
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->headers as [$name, $value]) {
            header("$name: $value", strcasecmp($name, 'Set-Cookie') !== 0);
        }
        echo $this->body;
    }
}

/** What is asked of a request. `headers` are pairs; `target` is path and query, not decoded. */
final class Request
{
    /** @param array<array{string, string}> $headers */
    public function __construct(
        public readonly string $method,
        public readonly string $target,
        public readonly array $headers,
        public readonly string $peer = '',
    ) {
    }

    /** What is printed of it: header fields hold cookies and the proxy's secret. */
    public function __debugInfo(): array
    {
        return array_diff_key(get_object_vars($this), ['headers' => 0]);
    }

    /** The request of this process. */
    public static function current(): self
    {
        $headers = [];
        // PHP reads X_Auth_Subject as X-Auth-Subject. Only these two still know how names came.
        if (in_array(PHP_SAPI, ['cli-server', 'apache2handler'], true)) {
            foreach (getallheaders() as $name => $value) {
                $headers[] = [(string) $name, $value];
            }
        } else {
            foreach ($_SERVER as $name => $value) {
                if (str_starts_with((string) $name, 'HTTP_')) {
                    $headers[] = [strtr(substr($name, 5), '_', '-'), (string) $value];
                }
            }
            $headers = [...$headers, ...self::dotted()];
        }
        return new self($_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], $headers, $_SERVER['REMOTE_ADDR'] ?? '');
    }

    /**
     * The fields of this process's request that PHP may have under another name: HTTP_X.AUTH.SUBJECT is HTTP_X_AUTH_SUBJECT
     * in `$_SERVER`, where the last to come wins. FPM and CGI show the dot here alone.
     *
     * @return array<array{string, string}>
     */
    public static function dotted(): array
    {
        $found = [];
        foreach (function_exists('getallheaders') ? getallheaders() : [] as $name => $value) {
            if (str_contains((string) $name, '.')) {
                $found[] = [(string) $name, (string) $value];
            }
        }
        return $found;
    }

    /** @return string[] */
    public function values(string $name): array
    {
        $found = array_filter($this->headers, static fn (array $pair): bool => strtolower($pair[0]) === $name);
        return array_values(array_map(static fn (array $pair): string => $pair[1], $found));
    }

    /** @return string[] */
    public function cookies(string $name): array
    {
        $found = [];
        foreach ($this->values('cookie') as $line) {
            foreach (explode(';', $line) as $pair) {
                // One without a name comes as its value alone, which may be any text (RFC 6265bis).
                [$key, $value] = array_pad(explode('=', trim($pair, " \t"), 2), 2, null);
                if ($key === $name && $value !== null) {
                    $found[] = $value;
                }
            }
        }
        return $found;
    }

    /** Whether somebody looks: a script has no use for a sign-in page. */
    public function isPage(): bool
    {
        return in_array($this->method, ['GET', 'HEAD'], true) && $this->isNavigation();
    }

    /** Whether somebody sends a form, and looks at what comes back. */
    public function isForm(): bool
    {
        return $this->method === 'POST' && $this->isNavigation();
    }

    private function isNavigation(): bool
    {
        [$mode, $destination] = [$this->values('sec-fetch-mode'), $this->values('sec-fetch-dest')];
        if ($mode || $destination) {
            return $mode === ['navigate'] && $destination === ['document'];
        }
        return str_contains(strtolower(implode(',', $this->values('accept'))), 'text/html');
    }

    /** A path of this website; not `//elsewhere` nor `/\elsewhere`, which browsers read as another host. */
    public function isReturnTarget(): bool
    {
        return preg_match('~\A/(?![/\\\\])[\x21-\x5b\x5d-\x7e]{0,2047}\z~', $this->target) === 1;
    }
}

/**
 * Remembers texts until their time is over, for all processes: one file each, made once. When it has no room left, the oldest
 * tenth makes room: one account that signs in and out in a loop must not keep a website from hearing of the others.
 */
class Memory
{
    public function __construct(private readonly string $folder, private readonly int $limit = 100_000)
    {
        if (!is_dir($folder) && !@mkdir($folder, 0700) && !is_dir($folder)) {
            throw new ConfigurationError("$folder cannot be made");
        }
    }

    /** @return string `new`, `known` or `full`, which is said of a folder that takes nothing too */
    public function add(string $text, int $until, int $now): string
    {
        // It holds how many texts there are at most, since to count them takes long. What is not there or full is said without
        // a warning, here and below: printed, it would send a 200 before the answer does.
        $lock = @fopen("$this->folder/.lock", 'c+');
        if ($lock === false || !flock($lock, LOCK_EX)) {
            return $this->unwritten();
        }
        try {
            if ($this->has($text, $now)) {
                return 'known';
            }
            $count = stream_get_contents($lock);
            if ($count === '' || (int) $count >= $this->limit) {
                $count = $this->makeRoom($now);
            }
            if ((int) $count >= $this->limit) {
                return 'full';
            }
            ftruncate($lock, 0);
            rewind($lock);
            @fwrite($lock, (string) ((int) $count + 1));
            return @file_put_contents($this->path($text), (string) $until) === false ? $this->unwritten() : 'new';
        } finally {
            fclose($lock);
        }
    }

    /** Unlike a folder that has reached its limit, this is for the website's operator to mend. */
    private function unwritten(): string
    {
        error_log("drawbridge: $this->folder cannot be written");
        return 'full';
    }

    public function has(string $text, int $now): bool
    {
        return self::read($this->path($text)) > $now;
    }

    public function forget(string $text): void
    {
        @unlink($this->path($text));
    }

    /** The latest time of those that made room before it was over; 0 while none has. */
    public function forgotten(): int
    {
        return self::read("$this->folder/.forgotten");
    }

    /** @return int how many are left */
    private function makeRoom(int $now): int
    {
        $names = array_diff(@scandir($this->folder, SCANDIR_SORT_NONE) ?: [], ['.', '..', '.lock', '.forgotten']);
        $surplus = count($names) < $this->limit ? 0 : count($names) - intdiv(9 * $this->limit, 10);
        if ($surplus === 0) {
            return count($names);
        }
        $written = [];
        foreach ($names as $name) {
            $written[$name] = (int) @filemtime("$this->folder/$name");
        }
        asort($written);
        $oldest = array_slice(array_keys($written), 0, $surplus);
        $ends = array_map(fn (string $name): int => self::read("$this->folder/$name"), $oldest);
        if (max($ends) > max($now, $this->forgotten())
            && @file_put_contents("$this->folder/.forgotten", (string) max($ends)) === false) {
            $this->unwritten();
            return count($names);
        }
        foreach ($oldest as $name) {
            @unlink("$this->folder/$name");
        }
        return count($names) - $surplus;
    }

    /** 0 where there is no file, which another process may take away at any time. */
    private static function read(string $path): int
    {
        return is_file($path) ? (int) @file_get_contents($path) : 0;
    }

    private function path(string $text): string
    {
        return $this->folder . '/' . hash('sha256', $text);
    }
}

/** One website. */
final class Site
{
    public const SESSION_COOKIE = '__Host-drawbridge_session';
    /** Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away. */
    public const SIGN_OUT_FORM = '<form method="post" action="/session/logout"><button>Sign out</button></form>';
    // What a person reads whose form came without a sign-in. No script and no style: a website's own policy may forbid them.
    private const UNSENT = <<<'HTML'
        <!doctype html>
        <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title>
        <h1>You are not signed in</h1>
        <p>What you sent was not accepted. <a href="%s" target="_blank" rel="noopener">Sign in</a> (this opens a new tab), then come back to this tab, go back to the form and send it again.</p>

        HTML;
    private const PROXY_FIELD = 'x-drawbridge-proxy';
    // Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself.
    private const QUESTION_FIELD = 'Drawbridge-Question';
    private const SIGN_OUT = '/session/logout';
    private const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
    // Seconds: an access token lives at most a day; a notice is tried for a day.
    private const LONGEST_TOKEN = 86400;
    private const NOTICE_MEMORY = 2 * 86400;
    // Seconds for which a handler may take; a process that dies over a notice is waited for no longer.
    private const IN_HAND = 300;
    // Seconds for which nobody asks again after Drawbridge failed.
    private const OUTAGE_PAUSE = 2;
    // How many answers of 500 and above in a row are an outage. One alone may be about one visitor.
    private const OUTAGE_ANSWERS = 3;
    // How many bytes of Set-Cookie take cookies away that came twice, and how long their paths may be: an answer's header
    // fields have to fit a proxy's buffer, which is 4096 bytes by nginx's default.
    private const MOST_TAKING = 2048;
    private const LONGEST_PATH = 100;
    // To a browser a cookie with it is another one than that without, of the same name, domain and path.
    private const PARTITIONED = '; Partitioned';
    // Seconds for one question to Drawbridge, from its first byte to its last.
    private const PATIENCE = 3;

    private readonly \Closure $now;
    private readonly \Closure $fetch;
    public readonly Memory $ended;
    public readonly Memory $notices;

    /**
     * @param ?callable():int $now
     * @param ?callable(string, array<string, string>):array{int, array<array{string, string}>, string} $fetch asks
     *   Drawbridge: status, headers, body; throws Unavailable
     */
    public function __construct(public readonly Settings $settings, ?callable $now = null, ?callable $fetch = null)
    {
        $this->now = ($now ?? time(...))(...);
        $plain = ($fetch ?? $this->ask(...))(...);
        $this->fetch = static fn (string $path, #[\SensitiveParameter] array $headers): array =>
            $plain($path, [...$headers, self::QUESTION_FIELD => '1']);
        $this->ended = new Memory("$settings->folder/ended");
        $this->notices = new Memory("$settings->folder/notices");
    }

    /** @return array{?User, ?string} the user, or the reason: `missing` is a visitor, anything else is for the log */
    public function identify(Request $request): array
    {
        if ($request->values(strtolower(self::QUESTION_FIELD))) {
            throw new Unavailable('this website is asked in place of Drawbridge');
        }
        try {
            return [match ($this->settings->source) {
                'proxy' => $this->fromProxy($request),
                'cookie' => $this->fromCookie($request),
                'session' => $this->fromSession($request),
            }, null];
        } catch (Refused $refusal) {
            return [null, $refusal->reason];
        }
    }

    /**
     * Asks Drawbridge. After a failure no process waits for it for two seconds, and then one at a time, until it answers.
     * Keys are fetched without this: they remember themselves when they were asked for in vain.
     *
     * @param array<string, string> $headers
     * @return array{int, array<array{string, string}>, string}
     */
    private function question(string $path, #[\SensitiveParameter] array $headers): array
    {
        $file = @fopen("{$this->settings->folder}/outage", 'c+') ?: throw new Unavailable('the folder cannot be used');
        try {
            if (self::outage($file)[0] >= self::OUTAGE_ANSWERS) {
                flock($file, LOCK_EX | LOCK_NB) || throw new Unavailable('somebody is asking Drawbridge whether it is back');
                [$bad, $failed] = self::outage($file);
                $since = ($this->now)() - $failed;
                // A clock that was set back keeps nobody away.
                $bad < self::OUTAGE_ANSWERS || $since < 0 || $since >= self::OUTAGE_PAUSE
                    || throw new Unavailable('Drawbridge did not answer just now');
            }
            $counts = self::OUTAGE_ANSWERS;
            try {
                $answer = ($this->fetch)($path, $headers);
                $counts = $answer[0] >= 500 ? 1 : 0;
                return $answer;
            } finally {
                // Other processes have counted meanwhile.
                $bad = min(self::outage($file)[0] + $counts, self::OUTAGE_ANSWERS);
                ftruncate($file, 0);
                rewind($file);
                $counts && @fwrite($file, "$bad " . ($this->now)());
            }
        } finally {
            fclose($file);
        }
    }

    /**
     * Answers of 500 and above in a row, where no answer at all counts for as many as are an outage; and when Drawbridge
     * failed last, in Unix seconds. An empty file is of one that answered.
     *
     * @param resource $file
     * @return array{int, int}
     */
    private static function outage($file): array
    {
        [$bad, $failed] = explode(' ', stream_get_contents($file, null, 0) . ' 0');
        return [(int) $bad, (int) $failed];
    }

    private function fromProxy(Request $request): User
    {
        foreach ($request->headers as [$name]) {
            $usual = strtolower(strtr($name, '_.', '--'));
            if (strpbrk($name, '_.') !== false && (str_starts_with($usual, 'x-auth-') || str_starts_with($usual, self::PROXY_FIELD))) {
                throw new Refused('underscore');
            }
        }
        if (!$this->isFromProxy($request)) {
            throw new Refused('not_from_proxy');
        }
        $subject = self::field($request, 'x-auth-subject');
        $session = self::field($request, 'x-auth-session');
        $acr = self::field($request, 'x-auth-acr');
        $subject !== null || throw new Refused('missing');
        // The proxy asked about the website that this names, and visitors choose it.
        $this->settings->isOwnHost($request) || throw new Refused('host');
        $session !== null || throw new Refused('malformed');
        $this->refuseEnded($session);
        return new User($subject, $session, $acr, ...$this->identity($request));
    }

    /**
     * As far as the setting wants it. What it does not want, a proxy need not take away from visitors.
     *
     * @return array<string, mixed>
     */
    private function identity(Request $said): array
    {
        $found = [];
        foreach ($this->settings->identity as $name) {
            $found[$name] = $name === 'groups' ? self::texts($said, "x-auth-$name") : self::field($said, "x-auth-$name");
        }
        return $found;
    }

    private function isFromProxy(Request $request): bool
    {
        $holds = true;
        if ($this->settings->proxySecret !== null) {
            $said = $request->values(self::PROXY_FIELD);
            $holds = count($said) === 1 && self::same($said[0], $this->settings->proxySecret);
        }
        if ($this->settings->proxyAddresses) {
            $peer = @inet_pton((string) preg_replace('~\A::ffff:(?=\d+\.)~i', '', $request->peer));
            $found = false;
            foreach ($this->settings->proxyAddresses as $text) {
                [$address, $bits] = array_pad(explode('/', $text, 2), 2, null);
                $found = $found || ($peer !== false && self::isWithin($peer, inet_pton($address), $bits));
            }
            $holds = $holds && $found;
        }
        return $holds;
    }

    private static function isWithin(string $peer, string $network, ?string $bits): bool
    {
        if (strlen($peer) !== strlen($network)) {
            return false;
        }
        $bits = $bits === null ? 8 * strlen($network) : (int) $bits;
        $mask = str_repeat("\xff", intdiv($bits, 8)) . ($bits % 8 ? chr(0xff << (8 - $bits % 8) & 0xff) : '');
        $mask = str_pad($mask, strlen($network), "\0");
        return ($peer & $mask) === ($network & $mask);
    }

    private static function field(Request $request, string $name): ?string
    {
        $values = $request->values($name);
        if ($values === [] || $values === ['']) {
            return null;
        }
        // Servers join repeated fields with a comma, so a comma may be a second voice.
        if (count($values) > 1 || str_contains($values[0], ',')) {
            throw new Refused('repeated');
        }
        $text = self::decoded($values[0]);
        return $text !== null && self::isText($text) ? $text : throw new Refused('malformed');
    }

    /**
     * Commas are between the texts; within one they are encoded.
     *
     * @return string[]
     */
    private static function texts(Request $request, string $name): array
    {
        $values = $request->values($name);
        if ($values === [] || $values === ['']) {
            return [];
        }
        count($values) === 1 || throw new Refused('repeated');
        $texts = array_map(self::decoded(...), explode(',', $values[0]));
        return array_filter($texts, self::isText(...)) === $texts ? $texts : throw new Refused('malformed');
    }

    /**
     * Whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by what one
     * visitor sends would count as an outage for all.
     */
    private static function isCookie(#[\SensitiveParameter] string $value): bool
    {
        return preg_match('~\A[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,8192}\z~', $value) === 1;
    }

    /** Drawbridge percent-encodes whatever is not visible ASCII. */
    private static function decoded(string $value): ?string
    {
        if (!preg_match('~\A(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*\z~', $value)) {
            return null;
        }
        $text = rawurldecode($value);
        return preg_match('~~u', $text) ? $text : null;
    }

    private function fromCookie(Request $request): User
    {
        try {
            return $this->fromToken($request);
        } catch (Refused $refusal) {
            // A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out
            // stays beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
            $secrets = $request->cookies(self::SESSION_COOKIE);
            if (count($secrets) !== 1 || !self::isCookie($secrets[0])) {
                throw $refusal;
            }
            try {
                return $this->asked(self::SESSION_COOKIE . "=$secrets[0]");
            } catch (Refused) {
                throw $refusal;
            }
        }
    }

    private function fromToken(Request $request): User
    {
        $tokens = $request->cookies($this->settings->cookie);
        if ($tokens === [] || $tokens === ['']) {
            throw new Refused('missing');
        }
        // A website beside ours can set a second one for the whole domain.
        if (count($tokens) > 1) {
            throw new Refused('repeated');
        }
        return $this->userOf($tokens[0]);
    }

    /** The user of an access token of this website. Throws Refused and Unavailable. */
    public function userOf(#[\SensitiveParameter] string $accessToken): User
    {
        $now = ($this->now)();
        $claims = $this->verified($accessToken, 'at+jwt', Settings::ALGORITHMS, $now);
        self::check($claims, $this->settings->issuer, [$this->settings->audience ?? $this->settings->issuer], $now, $this->settings->leeway);
        if (!in_array($claims['client_id'] ?? null, $this->ours(), true)) {
            throw new Refused('client');
        }
        // One that is bound to a key is no cookie's (RFC 9449 §7).
        if (array_key_exists('cnf', $claims)) {
            throw new Refused('bound');
        }
        [$subject, $session, $acr] = [$claims['sub'] ?? null, $claims['sid'] ?? null, $claims['acr'] ?? null];
        [$amr, $authTime] = [$claims['amr'] ?? [], $claims['auth_time'] ?? null];
        // A machine's token has no session, and is nobody's.
        if (!self::isText($subject) || !self::isText($session) || !($acr === null || self::isText($acr))
            || !($authTime === null || self::isTime($authTime))
            || !(is_array($amr) && array_is_list($amr) && array_filter($amr, is_string(...)) === $amr)) {
            throw new Refused('claims');
        }
        $this->refuseEnded($session);
        // Which sessions ended before then is not known any more.
        if ($claims['iat'] <= $this->ended->forgotten() - self::LONGEST_TOKEN + $this->settings->leeway) {
            throw new Refused('ended');
        }
        return new User($subject, $session, $acr, $amr, $authTime);
    }

    /** @return string[] every client that is this website's */
    private function ours(): array
    {
        return array_filter([$this->settings->clientId, ...$this->settings->clients], is_string(...));
    }

    private function refuseEnded(string $session): void
    {
        if ($this->ended->has($session, ($this->now)())) {
            throw new Refused('ended');
        }
    }

    private function fromSession(Request $request): User
    {
        $cookie = $this->ownCookies($request);
        $cookie !== '' || throw new Refused('missing');
        return $this->asked($cookie);
    }

    /** Whom Drawbridge knows by its own cookies. */
    private function asked(#[\SensitiveParameter] string $cookie): User
    {
        [$status, , $body] = $this->question('/session', ['Cookie' => $cookie]);
        $status === 200 || throw new Unavailable("/session answers $status");
        try {
            $said = self::object($body);
        } catch (Refused) {
            throw new Unavailable('/session does not answer with JSON');
        }
        ($said['authenticated'] ?? null) === true || throw new Refused('missing');
        [$subject, $acr, $amr] = [$said['sub'] ?? null, $said['acr'] ?? null, $said['amr'] ?? []];
        if (!self::isText($subject) || !($acr === null || self::isText($acr)) || !is_array($amr)) {
            throw new Unavailable('/session answers with something else');
        }
        $time = strtotime((string) ($said['auth_time'] ?? ''));
        $identity = $this->settings->identity ? $this->askedIdentity($cookie, $subject) : [];
        return new User($subject, null, $acr, $amr, $time === false ? null : $time, ...$identity);
    }

    /** @return array<string, mixed> */
    private function askedIdentity(#[\SensitiveParameter] string $cookie, string $subject): array
    {
        [$status, $headers] = $this->question('/auth/check?identity=' . implode(',', $this->settings->identity), ['Cookie' => $cookie]);
        // It ended since the first question.
        $status !== 401 || throw new Refused('missing');
        $status === 200 || throw new Unavailable("/auth/check answers $status");
        $said = new Request('GET', '/', $headers);
        try {
            if (self::named($said) === $subject) {
                return $this->identity($said);
            }
        } catch (Refused) {
        }
        throw new Unavailable('/auth/check answers with something else');
    }

    /** The user of an answer of /auth/check. One that names nobody is not Drawbridge's. */
    private static function named(Request $said): string
    {
        try {
            return self::field($said, 'x-auth-subject') ?? throw new Unavailable('/auth/check names nobody');
        } catch (Refused) {
            throw new Unavailable('/auth/check answers with something else');
        }
    }

    /**
     * Drawbridge's own cookies of the request, as one field; for a user whom it is about, those that say so. Two of a name
     * count as none (contract §6): a website beside ours can plant a token, and must not keep the session's cookie from
     * being heard.
     */
    private function ownCookies(Request $request, ?User $user = null): string
    {
        [$pairs, $isRepeated] = [[], false];
        $isBySession = $this->settings->source === 'cookie' && $user !== null && $user->session === null;
        foreach ($isBySession ? [self::SESSION_COOKIE] : [self::SESSION_COOKIE, $this->settings->cookie] as $name) {
            $values = $request->cookies($name);
            $isRepeated = $isRepeated || count($values) > 1;
            if (count($values) === 1 && self::isCookie($values[0])) {
                $pairs[] = "$name=$values[0]";
            }
        }
        return $pairs || !$isRepeated ? implode('; ', $pairs) : throw new Refused('repeated');
    }

    /**
     * The user who may see the page, or the answer for whoever may not.
     *
     * @param string[] $acr the values that will do
     * @param ?int $maxAge seconds since the sign-in
     */
    public function guard(Request $request, array $acr = [], ?int $maxAge = null): User|Answer
    {
        if ($maxAge !== null && $this->settings->source === 'proxy') {
            throw new ConfigurationError('a proxy does not say when somebody signed in: let it ask /auth/check?max_age=');
        }
        try {
            [$user] = $this->identify($request);
            if ($user === null) {
                return $this->signIn($request);
            }
            $isFresh = $maxAge === null || ($user->authTime !== null && ($this->now)() - $user->authTime <= $maxAge);
            if (($acr === [] || self::isStrongEnough($user->acr, $acr)) && $isFresh) {
                return $user;
            }
            return $this->stepUp($request, $user, $acr, $maxAge);
        } catch (Unavailable) {
            return self::away();
        } catch (Refused) {
            return self::refusal('Bearer', 'invalid_token');
        }
    }

    /**
     * As Drawbridge itself judges (contract §6): two factors are one as well, and any other value is only itself.
     *
     * @param string[] $wanted
     */
    private static function isStrongEnough(?string $acr, array $wanted): bool
    {
        return in_array($acr, $wanted, true) || ($acr === 'aal2' && in_array('aal1', $wanted, true));
    }

    private function signIn(Request $request): Answer
    {
        if (!$request->isPage() && !$request->isForm()) {
            return self::refusal('Bearer', 'invalid_token');
        }
        $taken = array_map(static fn (string $line): array => ['Set-Cookie', $line], $this->takenCookies($request));
        if ($request->isForm()) {
            return $this->unsent($taken);
        }
        $wanted = $request->isReturnTarget() ? '?redirect=' . rawurlencode($request->target) : '';
        return new Answer(303, [['Location', $this->settings->signIn . $wanted], ['Cache-Control', 'no-store'], ['Vary', 'Cookie'], ...$taken]);
    }

    /**
     * Of a form: a redirect would lose what somebody has typed, so the way to the sign-in is beside it.
     *
     * @param array<array{string, string}> $more
     */
    private function unsent(array $more): Answer
    {
        $signIn = preg_replace_callback('~[&<>"\']~', static fn (array $found): string => '&#' . ord($found[0]) . ';', $this->settings->signIn);
        $headers = [['WWW-Authenticate', 'Bearer'], ['Cache-Control', 'no-store'], ['Content-Type', 'text/html; charset=utf-8'], ...$more];
        return new Answer(401, $headers, sprintf(self::UNSENT, $signIn));
    }

    /**
     * Takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead back here
     * for ever.
     *
     * @return string[]
     */
    private function takenCookies(Request $request): array
    {
        if ($this->settings->source === 'proxy') {
            return [];
        }
        [$places, $lines, $room] = [[], [], self::MOST_TAKING];
        foreach (self::cookiePaths($request) as $path) {
            $places[] = "Path=$path";
            foreach (self::cookieDomains(parse_url($this->settings->origin, PHP_URL_HOST)) as $domain) {
                $places[] = "Path=$path; Domain=$domain";
            }
        }
        foreach ([self::SESSION_COOKIE, $this->settings->cookie] as $name) {
            if (count($request->cookies($name)) < 2) {
                continue;
            }
            // Browsers refuse every other line about a name of this kind.
            foreach (str_starts_with($name, '__Host-') ? ['Path=/'] : $places as $place) {
                $line = "$name=; Max-Age=0; $place; Secure; HttpOnly";
                $room -= 2 * strlen($line) + strlen(self::PARTITIONED);
                if ($room < 0) {
                    return $lines;
                }
                array_push($lines, $line, $line . self::PARTITIONED);
            }
        }
        return $lines;
    }

    /**
     * The paths of cookies that a browser sends to this target (RFC 6265 §5.1.4), the shortest first.
     *
     * @return string[]
     */
    private static function cookiePaths(Request $request): array
    {
        $paths = ['/'];
        if (!$request->isReturnTarget()) {
            return $paths;
        }
        $path = explode('?', $request->target, 2)[0];
        $last = min(strlen($path), self::LONGEST_PATH);
        for ($end = 2; $end <= $last; $end++) {
            if ($path[$end - 1] === ';') {
                break;
            }
            // Both /a and /a/ are paths of cookies that /a/b gets.
            if ($end === strlen($path) || $path[$end] === '/' || $path[$end - 1] === '/') {
                $paths[] = substr($path, 0, $end);
            }
        }
        return $paths;
    }

    /**
     * Those for which a website beside this one can set a cookie that comes here.
     *
     * @return string[]
     */
    private static function cookieDomains(string $host): array
    {
        $labels = explode('.', $host);
        $domains = [];
        for ($at = 0; $at < count($labels) - 1 && !preg_match('~\A[0-9]+\z~', end($labels)); $at++) {
            $domains[] = implode('.', array_slice($labels, $at));
        }
        return $domains;
    }

    /**
     * Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than.
     *
     * @param string[] $acr
     */
    private function stepUp(Request $request, User $user, array $acr, ?int $maxAge): User|Answer
    {
        $challenge = 'Bearer error="insufficient_user_authentication"';
        $query = [];
        if ($acr) {
            $challenge .= ', acr_values="' . implode(' ', $acr) . '"';
            $query[] = 'acr=' . rawurlencode(implode(' ', $acr));
        }
        if ($maxAge !== null) {
            $challenge .= ", max_age=\"$maxAge\"";
            $query[] = "max_age=$maxAge";
        }
        $refusal = self::refusal($challenge, 'insufficient_user_authentication');
        // Cookies are not the proxy's word: two of a name change nothing.
        if ($this->settings->source === 'proxy') {
            return $refusal;
        }
        $cookie = $this->ownCookies($request, $user);
        if ($cookie === '') {
            return $refusal;
        }
        $headers = ['Cookie' => $cookie];
        if ($request->isPage()) {
            $query[] = 'redirect=' . ($request->isReturnTarget() ? rawurlencode($request->target) : '');
            $headers += ['Accept' => 'text/html', 'Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document'];
        }
        [$status, $pairs] = $this->question('/auth/check?' . implode('&', $query), $headers);
        $said = new Request('GET', '/', $pairs);
        if ($status === 200) {
            if (self::named($said) === $user->subject) {
                return $user;
            }
            // Token and session are two users'. Whose page it would be nobody can say, and signing out ends both.
            return $request->isPage() ? new Answer(303, [['Location', self::SIGN_OUT], ['Cache-Control', 'no-store']]) : $refusal;
        }
        if ($status === 302 && $said->values('location')) {
            $passed = array_filter($pairs, static fn (array $pair): bool => in_array(strtolower($pair[0]), ['location', 'set-cookie'], true));
            return new Answer(303, [...$passed, ['Cache-Control', 'no-store']]);
        }
        return $status === 401 || $status === 403 ? $refusal : throw new Unavailable("/auth/check answers $status");
    }

    /**
     * A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again. Throws
     * ConfigurationError without `webhookSecrets`: a 400 would lay the website's own fault to the notice.
     */
    public function webhook(string $body, ?string $signature, ?callable $handle = null): Answer
    {
        $this->settings->webhookSecrets || throw new ConfigurationError('webhooks need webhookSecrets');
        $now = ($this->now)();
        return $this->once(function () use ($body, $signature, $now): array {
            $event = $this->notice($body, $signature ?? '', $now);
            return [$event['id'], $now + self::NOTICE_MEMORY, str_ends_with($event['type'], 'session.ended') ? $event['sid'] ?? null : null, $event];
        }, $handle, $now);
    }

    /**
     * OpenID Connect Back-Channel Logout 1.0, §2.6. `form` is the body of the POST. Throws ConfigurationError without `issuer`
     * and `clientId`: after a 400 the token would never come again.
     */
    public function backchannelLogout(string $form, ?callable $handle = null): Answer
    {
        ($this->settings->issuer && $this->settings->clientId) || throw new ConfigurationError('logout tokens need issuer and clientId');
        $now = ($this->now)();
        return $this->once(function () use ($form, $now): array {
            $claims = $this->logout($form, $now);
            return ['logout:' . $claims['jti'], $claims['exp'] + $this->settings->leeway, $claims['sid'], $claims];
        }, $handle, $now);
    }

    private function once(callable $read, ?callable $handle, int $now): Answer
    {
        try {
            return $this->heard($read, $handle, $now);
        } catch (\Throwable $failure) {
            // Thrown on, it would be a 200 where errors are displayed (`display_errors`), and so settled.
            error_log('drawbridge: a notice could not be handled: ' . $failure::class . ": {$failure->getMessage()} in {$failure->getFile()}:{$failure->getLine()}");
            return self::said(500, 'failed');
        }
    }

    private function heard(callable $read, ?callable $handle, int $now): Answer
    {
        try {
            [$name, $until, $session, $notice] = $read();
        } catch (Refused $refusal) {
            // A 4xx settles it; after a 5xx it comes again.
            return self::said($refusal->isFinal ? 400 : 503, $refusal->reason);
        } catch (Unavailable) {
            return self::away();
        }
        // Known is what was handled. While it is in hand a repeat has to come again: the handler may fail yet.
        if ($this->notices->has($name, $now)) {
            return self::said(200, 'known');
        }
        if (self::isText($session) && $this->ended->add($session, $now + self::LONGEST_TOKEN, $now) === 'full') {
            return self::said(503, 'full');
        }
        // Full, it cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
        if ($this->notices->add("in hand $name", $now + self::IN_HAND, $now) === 'known') {
            return self::said(503, 'in_hand');
        }
        try {
            // Handled between the two looks above.
            if ($this->notices->has($name, $now)) {
                return self::said(200, 'known');
            }
            $handle && self::handled($handle, $notice);
            if ($this->notices->add($name, $until, $now) === 'full') {
                // It takes the place of its being in hand.
                $this->notices->forget("in hand $name");
                $this->notices->add($name, $until, $now);
            }
        } finally {
            $this->notices->forget("in hand $name");
        }
        return self::said(200, 'handled');
    }

    /** A handler that ends the process (`exit`, no memory or time left) would leave a 200, and the notice settled. */
    private static function handled(callable $handle, array $notice): void
    {
        $before = headers_sent() ? false : http_response_code(500);
        try {
            $handle($notice);
        } finally {
            // The answer sets its own. Without a web server there is none before.
            is_int($before) && !headers_sent() && http_response_code($before);
        }
    }

    private function notice(string $body, string $signature, int $now): array
    {
        strlen($body) <= 65536 || throw new Refused('too_large');
        [$times, $codes] = [[], []];
        foreach (explode(',', $signature) as $part) {
            [$name, $value] = array_pad(explode('=', $part, 2), 2, '');
            if ($name === 't') {
                $times[] = $value;
            } elseif ($name === 'v1') {
                $codes[] = $value;
            }
        }
        if (count($times) !== 1 || !preg_match('~\A[0-9]{1,12}\z~', $times[0])) {
            throw new Refused('signature');
        }
        $holds = false;
        foreach ($this->settings->webhookSecrets as $secret) {
            $expected = hash_hmac('sha256', "$times[0].$body", $secret);
            foreach ($codes as $code) {
                // All are compared, so that the time does not tell which one fits.
                $holds = self::same($code, $expected) || $holds;
            }
        }
        $holds || throw new Refused('signature');
        abs($now - (int) $times[0]) <= 300 || throw new Refused('stale');
        $event = self::object($body);
        if (!self::isText($event['id'] ?? null) || !self::isText($event['type'] ?? null)) {
            throw new Refused('malformed');
        }
        if ($this->settings->clientId && !in_array($event['client_id'] ?? null, $this->ours(), true)) {
            throw new Refused('client');
        }
        return $event;
    }

    private function logout(string $form, int $now): array
    {
        $tokens = [];
        // parse_str would keep the last of two.
        foreach (explode('&', $form) as $pair) {
            [$name, $value] = array_pad(explode('=', $pair, 2), 2, '');
            if (urldecode($name) === 'logout_token') {
                $tokens[] = urldecode($value);
            }
        }
        // Another part of the website has read an empty body before, which can be mended; a 4xx would be final.
        count($tokens) === 1 || throw new Refused('malformed', $form !== '');
        $claims = $this->verified($tokens[0], 'logout+jwt', $this->settings->logoutAlgorithms, $now);
        self::check($claims, $this->settings->issuer, $this->ours(), $now, $this->settings->leeway);
        // An empty object and an empty list are the same here; both are signed by Drawbridge alone.
        $event = is_array($claims['events'] ?? null) ? $claims['events'][self::LOGOUT_EVENT] ?? null : null;
        if (!is_array($event) || array_key_exists('nonce', $claims)
            || !self::isText($claims['sid'] ?? null) || !self::isText($claims['jti'] ?? null)) {
            throw new Refused('claims');
        }
        return $claims;
    }

    /**
     * The claims of a token that one of Drawbridge's keys signed. Algorithm and type are ours to say (RFC 8725).
     *
     * @param string[] $algorithms
     */
    private function verified(#[\SensitiveParameter] string $text, string $type, array $algorithms, int $now): array
    {
        $parts = strlen($text) <= 8192 ? explode('.', $text) : [];
        count($parts) === 3 || throw new Refused('malformed');
        [$header, $claims, $signature] = [self::object(self::decode($parts[0])), self::object(self::decode($parts[1])), self::decode($parts[2])];
        array_key_exists('crit', $header) && throw new Refused('malformed');
        in_array($header['alg'] ?? null, $algorithms, true) || throw new Refused('algorithm');
        $own = $header['typ'] ?? null;
        if (!is_string($own) || preg_replace('~\Aapplication/~', '', strtolower($own)) !== $type) {
            throw new Refused('type');
        }
        is_string($header['kid'] ?? null) || throw new Refused('unknown_key');
        [$algorithm, $key] = $this->key($header['kid'], $now);
        $algorithm === $header['alg'] || throw new Refused('algorithm');
        if ($algorithm === 'ES256') {
            strlen($signature) === 64 || throw new Refused('signature');
            $signature = self::der(substr($signature, 0, 32), substr($signature, 32));
        }
        openssl_verify("$parts[0].$parts[1]", $signature, $key, OPENSSL_ALGO_SHA256) === 1 || throw new Refused('signature');
        return $claims;
    }

    /**
     * A key that is fetched is used for five minutes; for an unknown `kid` it is asked at most every half minute. While there
     * are none to do with, they are asked for as soon as after any failure.
     */
    private function key(string $kid, int $now): array
    {
        $state = $this->knownKeys();
        if ($state['fetched'] === null || $now - $state['fetched'] >= $this->settings->keysFresh) {
            $state = $this->renewed($state, !($this->hold($state, $now) && isset($state['keys'][$kid])));
        }
        $this->hold($state, $now) || throw new Unavailable("Drawbridge's keys cannot be had");
        if (!isset($state['keys'][$kid])) {
            $state = $this->renewed($state, true);
        }
        // Asked before and not now: meanwhile it may be there.
        return $state['keys'][$kid] ?? throw new Refused('unknown_key', $state['fetched'] >= $now);
    }

    /** Whether its keys may be used, while newer ones cannot be had. */
    private function hold(array $state, int $now): bool
    {
        return $state['fetched'] !== null && $now - $state['fetched'] <= $this->settings->keysStale;
    }

    /**
     * A file of the folder, locked: one for all processes.
     *
     * @return ?resource null when another process has it and `$how` does not wait
     */
    private function locked(string $name, int $how)
    {
        $file = @fopen("{$this->settings->folder}/$name", 'c+') ?: throw new Unavailable('the folder cannot be used');
        if (flock($file, $how, $isTaken)) {
            return $file;
        }
        fclose($file);
        return $isTaken ? null : throw new Unavailable('the folder cannot be used');
    }

    /** What all processes know. Nobody has that file's lock while Drawbridge is asked. */
    private function knownKeys(): array
    {
        $file = $this->locked('keys.json', LOCK_SH);
        try {
            $state = json_decode((string) stream_get_contents($file), true);
        } finally {
            fclose($file);
        }
        $state = is_array($state) ? $state : ['keys' => [], 'fetched' => null, 'tried' => null];
        $now = ($this->now)();
        // By more than a second: of two who come at once, one has looked at the clock a little earlier.
        if (max($state['fetched'], $state['tried']) > $now + 1) {
            // The clock was set back. How old the keys are is not known: they are due, and hold for an hour from now at most.
            $due = $now - $this->settings->keysFresh;
            $state['fetched'] = $state['fetched'] === null ? null : min($state['fetched'], $due);
            $state['tried'] = null;
        }
        return $state;
    }

    /** One asks. Of the others those wait for the answer who cannot do without. */
    private function renewed(array $state, bool $waits): array
    {
        $asking = $this->locked('asking-for-keys', $waits ? LOCK_EX : LOCK_EX | LOCK_NB);
        if ($asking === null) {
            return $state;
        }
        try {
            $state = $this->knownKeys();
            // Anew: whoever waited has come seconds ago, and would ask again what has just failed.
            $now = ($this->now)();
            $pause = $this->hold($state, $now) ? $this->settings->keysPause : self::OUTAGE_PAUSE;
            if ($state['tried'] !== null && $now - $state['tried'] < $pause) {
                return $state;
            }
            try {
                [$status, , $body] = ($this->fetch)('/.well-known/jwks.json', []);
                if ($status === 200) {
                    $state = ['keys' => self::keys($body), 'fetched' => $now];
                }
            } catch (Unavailable | Refused) {
            }
            // Now, not before: the pause begins once nobody waits for the answer.
            $state['tried'] = ($this->now)();
            $file = $this->locked('keys.json', LOCK_EX);
            try {
                ftruncate($file, 0);
                $text = json_encode($state, JSON_THROW_ON_ERROR);
                if (@fwrite($file, $text) !== strlen($text)) {
                    error_log("drawbridge: {$this->settings->folder}/keys.json cannot be written");
                }
            } finally {
                fclose($file);
            }
            return $state;
        } finally {
            fclose($asking);
        }
    }

    /** The usable keys of a JWK set, by `kid`: the one algorithm that each verifies, and the key in PEM. */
    private static function keys(string $body): array
    {
        $members = self::object($body)['keys'] ?? null;
        if (!is_array($members) || !array_is_list($members) || count($members) > 100) {
            throw new Refused('malformed');
        }
        $found = [];
        foreach ($members as $jwk) {
            $kid = is_array($jwk) ? $jwk['kid'] ?? null : null;
            if (is_string($kid) && !isset($found[$kid]) && ($jwk['use'] ?? 'sig') === 'sig' && $key = self::readKey($jwk)) {
                $found[$kid] = $key;
            }
        }
        return $found;
    }

    private static function readKey(array $jwk): ?array
    {
        try {
            if (($jwk['kty'] ?? '') === 'EC' && ($jwk['crv'] ?? '') === 'P-256' && ($jwk['alg'] ?? 'ES256') === 'ES256') {
                [$x, $y] = [self::decode((string) ($jwk['x'] ?? '')), self::decode((string) ($jwk['y'] ?? ''))];
                // RFC 5480: id-ecPublicKey, prime256v1, the point.
                $info = hex2bin('3059301306072a8648ce3d020106082a8648ce3d030107034200') . "\x04$x$y";
                return strlen($x) === 32 && strlen($y) === 32 && ($pem = self::pem($info)) ? ['ES256', $pem] : null;
            }
            if (($jwk['kty'] ?? '') === 'RSA' && ($jwk['alg'] ?? 'RS256') === 'RS256') {
                [$n, $e] = [self::decode((string) ($jwk['n'] ?? '')), self::decode((string) ($jwk['e'] ?? ''))];
                $key = self::tlv(0x30, self::integer($n) . self::integer($e));
                $info = self::tlv(0x30, hex2bin('300d06092a864886f70d0101010500') . self::tlv(0x03, "\0$key"));
                $pem = self::pem($info);
                $bits = $pem ? openssl_pkey_get_details(openssl_pkey_get_public($pem))['bits'] : 0;
                return $bits >= 2048 && $bits <= 8192 ? ['RS256', $pem] : null;
            }
        } catch (Refused) {
        }
        return null;
    }

    private static function pem(string $info): ?string
    {
        $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(base64_encode($info), 64, "\n") . "-----END PUBLIC KEY-----\n";
        return openssl_pkey_get_public($pem) === false ? null : $pem;
    }

    private static function tlv(int $tag, string $value): string
    {
        $length = strlen($value);
        $bytes = ltrim(pack('N', $length), "\0");
        return chr($tag) . ($length < 128 ? chr($length) : chr(0x80 | strlen($bytes)) . $bytes) . $value;
    }

    private static function integer(string $bytes): string
    {
        $bytes = ltrim($bytes, "\0");
        return self::tlv(0x02, $bytes === '' || ord($bytes[0]) > 127 ? "\0$bytes" : $bytes);
    }

    private static function der(string $r, string $s): string
    {
        return self::tlv(0x30, self::integer($r) . self::integer($s));
    }

    private static function decode(string $text): string
    {
        $data = preg_match('~\A[A-Za-z0-9_-]*\z~', $text) ? base64_decode(strtr($text, '-_', '+/'), true) : false;
        // Two texts must not stand for the same bytes.
        if ($data === false || rtrim(strtr(base64_encode($data), '+/', '-_'), '=') !== $text) {
            throw new Refused('malformed');
        }
        return $data;
    }

    private static function object(string $data): array
    {
        // The first byte says object or list, which are one thing once they are decoded.
        $value = str_starts_with(ltrim($data, " \t\r\n"), '{') ? json_decode($data, true, 64) : null;
        return is_array($value) ? $value : throw new Refused('malformed');
    }

    /** @param string[] $accepted audiences, of which one will do */
    private static function check(array $claims, string $issuer, array $accepted, int $now, int $leeway): void
    {
        ($claims['iss'] ?? null) === $issuer || throw new Refused('issuer');
        $audiences = is_array($claims['aud'] ?? null) ? $claims['aud'] : [$claims['aud'] ?? null];
        array_filter($accepted, static fn (string $one): bool => in_array($one, $audiences, true)) || throw new Refused('audience');
        [$end, $from, $later] = [$claims['exp'] ?? null, $claims['iat'] ?? null, $claims['nbf'] ?? 0];
        if (!self::isTime($end) || !self::isTime($from) || !self::isTime($later)) {
            throw new Refused('claims');
        }
        $now < $end + $leeway || throw new Refused('expired');
        max($from, $later) <= $now + $leeway || throw new Refused('not_yet_valid');
    }

    private static function isText(mixed $value): bool
    {
        return is_string($value) && $value !== '' && strlen($value) <= 1024;
    }

    private static function isTime(mixed $value): bool
    {
        return is_int($value) && $value >= 0 && $value < 1 << 53;
    }

    /** In a time that tells neither where nor how long. */
    private static function same(#[\SensitiveParameter] string $one, #[\SensitiveParameter] string $other): bool
    {
        return hash_equals(hash('sha256', $one, true), hash('sha256', $other, true));
    }

    private static function refusal(string $challenge, string $error): Answer
    {
        $headers = [['WWW-Authenticate', $challenge], ['Cache-Control', 'no-store'], ['Content-Type', 'application/json']];
        return new Answer(401, $headers, json_encode(['error' => $error]));
    }

    private static function said(int $status, string $word): Answer
    {
        return new Answer($status, [['Content-Type', 'application/json'], ['Cache-Control', 'no-store']], json_encode(['result' => $word]));
    }

    private static function away(): Answer
    {
        return new Answer(503, [['Retry-After', '5'], ['Cache-Control', 'no-store']]);
    }

    /** Asks Drawbridge: no redirects, three seconds for all of it, 256 KiB. */
    private function ask(string $path, #[\SensitiveParameter] array $headers): array
    {
        // Drawbridge knows its origins by Host: the browser's, not the name of the machine.
        $origin = parse_url($this->settings->origin);
        $url = parse_url($this->settings->drawbridge ?? $this->settings->origin);
        $isTLS = $url['scheme'] === 'https';
        $lines = [
            'GET ' . ($url['path'] ?? '') . "$path HTTP/1.1",
            'Host: ' . $origin['host'] . (isset($origin['port']) ? ":{$origin['port']}" : ''),
            'Connection: close',
        ];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        foreach ($lines as $line) {
            strpbrk($line, "\r\n") === false || throw new Unavailable('a field that would be two');
        }
        $end = microtime(true) + self::PATIENCE;
        $context = stream_context_create(['ssl' => ['peer_name' => $url['host'], 'SNI_enabled' => true]]);
        $place = [$isTLS ? 'tls' : 'tcp', $url['port'] ?? ($isTLS ? 443 : 80)];
        $stream = self::connected($url['host'], $place, $context, $end) ?? throw new Unavailable('Drawbridge does not answer');
        try {
            return self::whole(self::exchange($stream, implode("\r\n", $lines) . "\r\n\r\n", $end));
        } finally {
            fclose($stream);
        }
    }

    /**
     * PHP gives the first of a host's addresses all the time that there is, and that of IPv6 is often out of a network's
     * reach. So the name gets two thirds of it, and those of IPv4 the rest.
     *
     * @param array{string, int} $place transport and port
     * @param resource $context
     * @return ?resource
     */
    private static function connected(string $host, array $place, $context, float $end)
    {
        [$transport, $port] = $place;
        $try = static fn (string $address, float $share) => @stream_socket_client(
            "$transport://$address:$port", $code, $error, max(0.001, ($end - microtime(true)) * $share), STREAM_CLIENT_CONNECT, $context);
        $stream = $try($host, 2 / 3);
        $others = $stream === false ? (gethostbynamel($host) ?: []) : [];
        for ($left = count($others); $stream === false && $left > 0; $left--) {
            $stream = $try($others[count($others) - $left], 1 / $left);
        }
        return $stream ?: null;
    }

    /**
     * Everything that comes until the other side closes. A timeout of the stream begins anew with every byte, so the rest
     * of the time is counted here.
     *
     * @param resource $stream
     */
    private static function exchange($stream, #[\SensitiveParameter] string $request, float $end): string
    {
        stream_set_blocking($stream, false);
        $answer = '';
        while (true) {
            $left = $end - microtime(true);
            [$read, $write, $none] = [$request === '' ? [$stream] : null, $request === '' ? null : [$stream], null];
            if ($left <= 0 || @stream_select($read, $write, $none, (int) $left, (int) (1e6 * ($left - (int) $left))) === false) {
                throw new Unavailable('Drawbridge is too slow');
            }
            if ($request !== '') {
                $sent = @fwrite($stream, $request);
                $sent === false && throw new Unavailable('Drawbridge does not answer');
                $request = substr($request, $sent);
                continue;
            }
            // Until nothing is there: bytes that TLS has taken out already wake nobody up.
            while (($part = @fread($stream, 65536)) !== false && $part !== '') {
                $answer .= $part;
                strlen($answer) <= 300_000 || throw new Unavailable("Drawbridge's answer is too large");
            }
            if (feof($stream)) {
                return $answer;
            }
        }
    }

    /** Status, fields as pairs, and body of an answer, of which nothing may be missing. */
    private static function whole(string $answer): array
    {
        [$head, $body] = array_pad(explode("\r\n\r\n", $answer, 2), 2, null);
        $lines = explode("\r\n", $head);
        if ($body === null || !preg_match('~\AHTTP/1\.[01] ([2-5][0-9]{2})( |\z)~', array_shift($lines), $match)) {
            throw new Unavailable('Drawbridge gave no whole answer');
        }
        [$pairs, $said] = [[], []];
        foreach ($lines as $line) {
            $pairs[] = $pair = array_map(trim(...), array_pad(explode(':', $line, 2), 2, ''));
            $said[strtolower($pair[0])] ??= $pair[1];
        }
        if (isset($said['transfer-encoding'])) {
            $body = strtolower($said['transfer-encoding']) === 'chunked' ? self::dechunked($body) : null;
        } elseif (isset($said['content-length'])) {
            $body = preg_match('~\A[0-9]+\z~', $said['content-length']) && strlen($body) === (int) $said['content-length'] ? $body : null;
        }
        if ($body === null || strlen($body) > 262_144) {
            throw new Unavailable('Drawbridge gave no whole answer');
        }
        return [(int) $match[1], $pairs, $body];
    }

    /** Null when it is cut off. */
    private static function dechunked(string $rest): ?string
    {
        $body = '';
        while (preg_match('~\A([0-9A-Fa-f]{1,7})[ \t]*(?:;[^\r\n]*)?\r\n~', $rest, $match)) {
            $size = (int) hexdec($match[1]);
            if ($size === 0) {
                return $body;
            }
            $start = strlen($match[0]);
            if (substr($rest, $start + $size, 2) !== "\r\n") {
                return null;
            }
            $body .= substr($rest, $start, $size);
            $rest = substr($rest, $start + $size + 2);
        }
        return null;
    }
}

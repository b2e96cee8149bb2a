<?php
/** In front of a PSR-15 handler. */
declare(strict_types=1);

namespace Drawbridge\Site;

use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/** Every request takes a sign-in; the user is the attribute `User::class`. */
final class SiteMiddleware implements MiddlewareInterface
{
    /** @param string[] $acr */
    public function __construct(
        private readonly Site $site,
        private readonly ResponseFactoryInterface $responses,
        private readonly array $acr = [],
        private readonly ?int $maxAge = null,
    ) {
    }

    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $found = $this->site->guard(self::read($request), $this->acr, $this->maxAge);
        if ($found instanceof User) {
            return $handler->handle($request->withAttribute(User::class, $found));
        }
        $response = $this->responses->createResponse($found->status);
        foreach ($found->headers as [$name, $value]) {
            $response = $response->withAddedHeader($name, $value);
        }
        $response->getBody()->write($found->body);
        return $response;
    }

    public static function read(ServerRequestInterface $request): Request
    {
        // Some make a request's fields of `$_SERVER`, which no longer has the dots.
        $headers = Request::dotted();
        foreach ($request->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                $headers[] = [(string) $name, $value];
            }
        }
        $server = $request->getServerParams();
        // A framework that mounts this takes the path above it out of the request; browsers still have it.
        $asked = $server['REQUEST_URI'] ?? null;
        return new Request(
            $request->getMethod(), is_string($asked) && str_starts_with($asked, '/') ? $asked : $request->getRequestTarget(), $headers,
            (string) ($server['REMOTE_ADDR'] ?? ''));
    }
}

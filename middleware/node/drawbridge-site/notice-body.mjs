// The body of a notice's request.

/** `{body}` of at most 64 KiB, `{isTooLarge}`, or neither when it broke off. Never rejects: nobody may wait for it. */
export const bodyOf = (incoming, kind) => new Promise((done) => {
  const chunks = [];
  let length = 0;
  if (incoming.readableEnded) return done(readBefore(incoming, kind));
  incoming.on('data', (chunk) => {
    length += chunk.length;
    if (length <= 65536) return chunks.push(chunk);
    incoming.pause();
    return done({ isTooLarge: true });
  });
  incoming.on('end', () => done({ body: Buffer.concat(chunks) }));
  for (const end of ['error', 'close']) incoming.on(end, () => done({}));
});

/**
 * What a parser that was there first left of the body: its bytes, or the one field of a logout token's form. A webhook's
 * signature is over bytes, which no parsed object gives back.
 */
function readBefore({ rawBody, body }, kind) {
  const bytes = [rawBody, body].find((value) => Buffer.isBuffer(value));
  if (bytes) return bytes.length > 65536 ? { isTooLarge: true } : { body: bytes };
  const token = kind === 'logout' ? body?.logout_token : undefined;
  if (typeof token !== 'string') return { isEaten: true };
  return { body: Buffer.from(new URLSearchParams({ logout_token: token }).toString()) };
}

// Requests to upgrade, as those for web sockets: node:http keeps them from whatever handles requests, and has no response.

import { STATUS_CODES } from 'node:http';

/**
 * Whether a page of this website asks. Browsers always say whose page it is (RFC 6455 §4.1), and SameSite keeps no page of a
 * sibling host from sending a visitor's cookies along.
 */
export const isOfOwnPage = (request, origin) => request.values('origin').join() === origin;

/** In place of the upgrade. Who does not close the connection then must not keep it: nobody else ends it. */
export function refuse(socket, { status, headers, body }) {
  const fields = [...headers, ['Content-Length', Buffer.byteLength(body)], ['Connection', 'close']];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

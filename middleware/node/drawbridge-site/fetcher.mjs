// One question to Drawbridge.

import http from 'node:http';
import https from 'node:https';
import { Unavailable } from './errors.mjs';
import { pairsOf } from './request.mjs';

/** Asks Drawbridge: no redirects, three seconds for all of it, 256 KiB. */
export function fetcher(settings) {
  const base = new URL(settings.drawbridge ?? settings.origin);
  // Drawbridge knows its origins by Host: the browser's, not the name of the machine.
  const host = new URL(settings.origin).host;
  return (path, headers) => new Promise((resolve, reject) => {
    const fail = (error) => { request.destroy(); reject(new Unavailable(`Drawbridge does not answer: ${error.message}`)); };
    const prefix = base.pathname.replace(/\/$/, '');
    const options = {
      path: prefix + path, headers: { Host: host, ...headers }, servername: base.hostname,
      // On a connection of its own: one that Drawbridge closes just then would look like an outage.
      agent: false,
    };
    const request = (base.protocol === 'https:' ? https : http).request(base, options, (response) => {
      const chunks = [];
      let length = 0;
      response.on('data', (chunk) => {
        length += chunk.length;
        if (length > 262_144) fail(new Error('too large'));
        chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        if (!response.complete) return fail(new Error('cut off'));
        resolve({ status: response.statusCode, headers: pairsOf(response.rawHeaders), body: Buffer.concat(chunks) });
      });
    });
    const timer = setTimeout(() => fail(new Error('too slow')), 3000);
    request.on('error', (error) => { clearTimeout(timer); fail(error); });
    request.end();
  });
}

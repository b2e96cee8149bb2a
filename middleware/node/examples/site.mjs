// A website on node:http: `node site.mjs PORT`, with its settings as JSON in SITE.

import http from 'node:http';
import { Site } from '../drawbridge-site.mjs';

const settings = JSON.parse(process.env.SITE);
const site = new Site(settings);

const page = (request, response) => {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`signed in as ${request.drawbridgeUser.subject}`);
};
const routes = {
  '/': (request, response) => response.end('for everybody'),
  '/contacts': site.guarded(page),
  '/strong/1': site.guarded(page, { acr: ['aal9'] }),
};
// A receiver is not made without the settings that it needs.
if (settings.webhook_secrets) routes['/hooks/drawbridge'] = site.receiver('webhook');
if (settings.client_id) routes['/hooks/logout'] = site.receiver('logout');

http.createServer((request, response) => {
  const route = routes[request.url.split('?')[0]];
  if (route) return route(request, response);
  response.statusCode = 404;
  response.end();
}).listen(Number(process.argv[2]), '127.0.0.1');

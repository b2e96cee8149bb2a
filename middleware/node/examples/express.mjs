// The same for Express (`npm install express`), whose shape of a middleware `site.middleware()` has.

import express from 'express';
import { Site } from '../drawbridge-site.mjs';

const settings = JSON.parse(process.env.SITE);
const site = new Site(settings);
const app = express();

// Before any body parser: the signature is over the bytes as they came. A receiver is not made without its settings.
if (settings.webhook_secrets) app.post('/hooks/drawbridge', site.receiver('webhook'));
if (settings.client_id) app.post('/hooks/logout', site.receiver('logout'));
app.use(express.urlencoded({ extended: false }), express.json());

app.get('/', (request, response) => response.send('for everybody'));
app.all('/contacts', site.middleware(), (request, response) => response.type('text').send(`signed in as ${request.drawbridgeUser.subject}`));
app.get('/strong/:name', site.middleware({ acr: ['aal9'] }), (request, response) => response.send('stronger'));
app.listen(Number(process.argv[2]), '127.0.0.1');

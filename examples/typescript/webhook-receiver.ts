/*
 * Receives webhooks in Express, and prints a JSON line for each. After a response other than 2xx the bridge sends an event again.
 *
 * Settings: WEBHOOK_SECRETS (two, separated by a space, while one is replaced), TRUST_FILE (from `busbridge trust export`) and PORT.
 */
import express from 'express';
import { Trust, verifyWebhook } from 'settlement-bus-downstream';

const { WEBHOOK_SECRETS = '', TRUST_FILE = 'trust.json', PORT = '8080' } = process.env;
const secret = WEBHOOK_SECRETS.split(' ').filter((each) => each !== '');
if (secret.length === 0)
  throw new Error(
    'WEBHOOK_SECRETS is missing. Set it to the secret of the sink, or to two, separated by a space.',
  );
const trust = Trust.fromFile(TRUST_FILE);
const print = (line: object): void => console.log(JSON.stringify(line));

/** In place of a table with the event's id as its key. */
const stored = new Set<string>();

const app = express();

// The signature covers the body as it was sent, so nothing may parse it before.
app.post('/', express.raw({ type: () => true, limit: '2mb' }), (request, response) => {
  const body: unknown = request.body;
  const verdict = verifyWebhook(Buffer.isBuffer(body) ? body : '', request.headers, { secret, trust });
  if (!verdict.ok) {
    const { reason } = verdict;
    print({ refused: request.get('webhook-id') ?? '', reason });
    response.status(400).json({ reason });
    return;
  }
  const { event, kind = '' } = verdict;
  // A repeated attempt has the same id.
  if (!stored.has(event.id)) print({ event: event.id, type: event.type, kind });
  stored.add(event.id);
  response.sendStatus(204);
});

const server = app.listen(Number(PORT), '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.close());

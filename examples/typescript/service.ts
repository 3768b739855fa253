/*
 * Receives the events of the bus until it is interrupted, and prints a JSON line for each. It ends when no retry would help, and says why.
 *
 * Settings: GATEWAY_URL, GATEWAY_USER, GATEWAY_PASSWORD_FILE, CLIENT_ID, TRUST_FILE (from `busbridge trust export`) and STORE_FILE, a folder.
 */
import { readFileSync } from 'node:fs';
import { Consumer, FileStore, Trust } from 'settlement-bus-downstream';

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing.`);
  return value;
};
const print = (line: object): void => console.log(JSON.stringify(line));

const consumer = new Consumer({
  url: setting('GATEWAY_URL'),
  user: setting('GATEWAY_USER'),
  password: () => readFileSync(setting('GATEWAY_PASSWORD_FILE'), 'utf8').trim(),
  clientId: setting('CLIENT_ID'),
  trust: Trust.fromFile(setting('TRUST_FILE')),
  store: new FileStore(setting('STORE_FILE')),
});

// Store the event here: it is acknowledged once this has resolved, and comes again when it rejects.
consumer.on('*', ({ id, type, subject }) => print({ event: id, type, subject }));

// The data of each type have the types of its schema.
consumer.on('margin.breached', ({ participant, data }) =>
  print({ breach: participant, margin: `${data.tradingMargin} AUD` }),
);
consumer.on('invoice.reversed', ({ data }) => print({ cancel: data.reversed.id, book: data.id }));

consumer.on('refused', ({ message, reason }) => print({ refused: message.id, reason }));
consumer.on('gap', (gap) => print({ gap }));
consumer.on('state', (state) => print(state));
consumer.on('fault', ({ reason, error }) =>
  print({ fault: reason, cause: error instanceof Error ? error.message : error }),
);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void consumer.stop());
await consumer.run();

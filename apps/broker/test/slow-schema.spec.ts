import { Actor } from './support/actor.js';
import { type Client, makeChannel, user } from './support/client.js';
import { useBroker } from './support/test-broker.js';

/** A pattern that takes years over a text of fifty letters. */
const NESTED = { pattern: '^(a+)+$' };
/** Each `$ref` doubles the work at each level of the payload. */
const DOUBLING = {
  anyOf: [
    { items: { $ref: '#' }, minItems: 1 },
    { items: { $ref: '#' }, minItems: 1 },
  ],
};

let sender: Client;
const { broker } = useBroker();

beforeAll(async () => {
  sender = await user(broker.url, new Actor());
});

const channelWith = (schema: object) =>
  makeChannel(broker.url, { topics: [{ namespace: 'default', schema: JSON.stringify(schema) }] });

it.each([
  ['a nested repetition', NESTED, `"${'a'.repeat(50)}!"`, '"aa"'],
  ['a reference within a choice', DOUBLING, `${'['.repeat(60)}${']'.repeat(60)}`, '[[1]]'],
])('%s does not block the broker', async (_, schema, slow, quick) => {
  const [fqcn, other] = [await channelWith(schema), await makeChannel(broker.url)];
  expect((await sender.post(fqcn, quick)).status).toBe(201);
  const [refused, accepted] = await Promise.all([sender.post(fqcn, slow), sender.post(other, '{}')]);
  expect(refused).toMatchObject({
    status: 422,
    body: {
      err: {
        code: 'BUS::SCHEMA_MISMATCH',
        additionalInformation: {
          problems: [{ path: '', message: 'takes too long to be checked against this schema' }],
        },
      },
    },
  });
  expect(accepted.status).toBe(201);
  // The schema refuses every payload, and other schemas are not affected.
  expect((await sender.post(fqcn, quick)).status).toBe(422);
  expect((await sender.post(other, '{}')).status).toBe(201);
});

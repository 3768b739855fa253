import { definition } from './settings.js';

it.each<[string, boolean]>([
  ['nats://127.0.0.1:4222', true],
  ['tls://user:password@a:4222, tls://b:4222/', true],
  ['nats://token@a,nats://token@b', true],
  ['nats://token@a,nats://other@b', false],
  ['nats://:password@a', false],
  ['nats://a/path', false],
  ['nats://a?query', false],
  ['http://a', false],
])('NATS_URL takes %s: %s', (text, expected) => {
  expect(definition.NATS_URL.schema.safeParse(text).success).toBe(expected);
});

import { Ajv } from 'ajv';
import { createTestDelivery, TEST_DELIVERY_SCHEMA } from './test-delivery.js';

const REQUESTED = {
  sink: 'treasury',
  requestId: '7',
  requestedAt: new Date('2026-03-02T00:00:02.000Z'),
  author: 'jane',
  comment: undefined,
};

it('a test has the body of its schema, and an id that follows from the request', () => {
  const accepts = new Ajv({ strict: true, code: { optimize: false } }).compile(TEST_DELIVERY_SCHEMA);
  const test = createTestDelivery(REQUESTED);
  expect(accepts(test)).toBe(true);
  expect(accepts(createTestDelivery({ ...REQUESTED, comment: 'new address' }))).toBe(true);
  expect(accepts({ ...test, data: {} })).toBe(false);
  expect(createTestDelivery(REQUESTED)).toEqual(test);
  const ids = [{ requestId: '8' }, { sink: 'log' }, { requestedAt: new Date(0) }].map(
    (change) => createTestDelivery({ ...REQUESTED, ...change }).id,
  );
  expect(new Set([test.id, ...ids]).size).toBe(4);
});

import { affectedPaths } from './affected-paths.js';

it('reads documents again only when one was stored', () => {
  expect(affectedPaths('settlementbus.invoice.document-stored.v1')).toEqual(
    expect.arrayContaining(['/v1/documents', '/v1/open-items']),
  );
  expect(affectedPaths('settlementbus.invoice.document-stored.v1')).not.toContain('/v1/invoices');
  expect(affectedPaths('settlementbus.invoice.issued.v1')).not.toContain('/v1/documents');
});

it.each([
  ['position.calculated', '/v1/positions'],
  ['margin.breached', '/v1/problems'],
  ['invoice.issued', '/v1/payments'],
  ['statement.revised', '/v1/statements/{id}/differences'],
  ['timeline.changed', '/v1/settlement-calendar'],
  ['bridge.fault', '/v1/status'],
])('reads again what %s changes', (type, path) => {
  expect(affectedPaths(`settlementbus.${type}.v1`)).toContain(path);
});

import { createFactEvent } from '../event.js';
import { findForeignAttribute } from '../foreign-attribute.js';
import { DETECTION, FACTS, PARTICIPANT } from '../../test/sample-events.js';
import type { InvoiceIssuedData } from './invoices.js';

const TYPE = 'settlementbus.invoice.issued.v1';

const WITHOUT_DIGEST: InvoiceIssuedData = {
  id: 'INV-0007',
  reversedId: 'INV-0003',
  market: 'WEM',
  designation: 'ADJ1',
  periodFrom: '2026-03-01T08:00:00',
  tradeWeek: 'TW 01 Mar 2026',
  tradeMonth: '2026-03',
  adjustment: 1,
  invoiceDate: '2026-03-21',
  dueDate: '2026-04-02',
  total: '1000.10',
  payableAmount: '-999.90',
  settlementRequired: true,
};
const create = (data: InvoiceIssuedData) => createFactEvent({ type: TYPE, data }, PARTICIPANT, DETECTION);

it('an invoice without a digest is put into its envelope', () => {
  const event = create(WITHOUT_DIGEST);
  expect(event).toMatchObject({
    id: 'de35ed64-1984-4fdb-9487-7501da8cd4f8',
    subject: 'ALPHA/WEM/2026-03-01/ADJ1/invoice/INV-0007',
    time: '2026-03-21T00:00:00+08:00',
    sequence: '00000000000020260321',
    data: WITHOUT_DIGEST,
  });
  expect(findForeignAttribute(event)).toBeUndefined();
});

it('the figures are part of the id through their digest only', () => {
  const data = FACTS[TYPE];
  expect(create({ ...data, total: '1' }).id).toBe(create(data).id);
  expect(create({ ...data, digest: undefined }).id).not.toBe(create(data).id);
});

it('a return to an earlier version under the same id has an id of its own', () => {
  const first = { ...FACTS[TYPE], changed: undefined };
  const other = { id: first.id, digest: 'b'.repeat(64) };
  const changes = [
    first,
    { ...first, changed: other },
    { ...first, changed: { ...other, digest: 'c'.repeat(64) } },
  ];
  expect(new Set(changes.map((data) => create(data).id)).size).toBe(3);
});

it('an invoice that is first issued and later replaces another has two ids', () => {
  const reversed = FACTS['settlementbus.invoice.reversed.v1'];
  const data = { ...FACTS[TYPE], id: reversed.id, digest: reversed.digest };
  const replacement = createFactEvent(
    { type: 'settlementbus.invoice.reversed.v1', data: reversed },
    PARTICIPANT,
    DETECTION,
  );
  expect(create(data).id).not.toBe(replacement.id);
  expect(create(data).subject).toBe('ALPHA/WEM/2026-03-01/INITIAL/invoice/INV-0009');
});

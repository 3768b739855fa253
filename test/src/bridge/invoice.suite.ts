import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { apiOf, requestApi } from '../harness/archive-api.js';
import { running } from './shared-system.js';

it('an invoice reaches the webhook and the archive API with its digits, its day of payment and its PDF', async () => {
  const [fact] = await running.market.publishStatements(1);
  if (fact === undefined) throw new RangeError('a fact is required');
  await running.waitForDeliveries([fact]);
  const amount = '9999999999999999.99';
  const dueDate = await running.market.publishInvoice(fact, 'INV-DIGITS', `-${amount}`);
  const subject = `${fact.subject}/invoice/INV-DIGITS`;
  const facts = [
    { type: 'settlementbus.invoice.issued.v1', subject },
    { type: 'settlementbus.payment.due.v1', subject: `${subject}/payment` },
    { type: 'settlementbus.invoice.document-stored.v1', subject: `${subject}/document` },
  ];
  await running.waitForDeliveries(facts);
  const [issued, due, stored] = facts.map((each) => running.findDeliveredEvents(each)[0]);
  const totals = { payable: '0', receivable: amount, net: amount, invoices: 1 };
  expect(issued?.data).toMatchObject({ payableAmount: `-${amount}`, direction: 'receive', dueDate });
  expect(due?.data).toMatchObject({ reminder: 5, direction: 'receive', dayTotals: totals });

  const payments = await requestApi<object>(running.system, `/v1/payments?dueSince=${dueDate}`);
  expect(payments.body).toMatchObject({
    items: [{ dueDate, ...totals, markets: [{ market: 'WEM', ...totals }] }],
    total: totals,
  });

  const { BUSBRIDGE_URL: url, BUSBRIDGE_TOKEN_FILE: tokenFile } = apiOf(running.system);
  const response = await fetch(`${url}/v1/documents/${stored?.id}/content`, {
    headers: { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect(stored?.data).toMatchObject({
    invoiceId: 'INV-DIGITS',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

import { readFileSync } from 'node:fs';
import { describeMessage } from '../describe-message.js';

const EXAMPLES = new URL('../../../../../../../libs/events/examples/', import.meta.url);

interface Expected {
  /** In the title, after the severity and the participant. */
  readonly title: string;
  readonly explanation: RegExp;
  readonly action?: RegExp;
  /** A line of the figures. */
  readonly figure?: string;
  /** Labels that no figure has. */
  readonly without?: readonly string[];
  /** The due date; null without one. */
  readonly dueBy?: string | null;
}

const NEW_BREACH = { cause: 'calculation', previousLevel: 'OK', previousMargin: undefined };
const NOT_LATE = { late: undefined };
const LATE = { late: { dueDate: '2026-03-19', seconds: 259_200 } };
const DIGEST = '3be1d07c92a54f6e8d10b7c4f3a2956e1c08dd47ab9f6123e57c0d84b1f9a63e';

it.each<[string, string, object, Expected]>([
  [
    'a new breach',
    'margin.breached',
    NEW_BREACH,
    {
      figure: 'Level before: OK',
      title: 'Trading margin below the breach threshold, -60,000.5 AUD',
      explanation: /^The trading margin is below your own breach threshold\./,
      action: /^Provide cash or credit support/,
    },
  ],
  [
    'a deeper breach',
    'margin.breached',
    { cause: 'deepened', tradingMargin: '-185000.50', previousMargin: '-60000.00' },
    {
      title: 'Breach of the trading margin has become deeper, from -60,000.00 AUD to -185,000.50 AUD',
      explanation:
        /already, and has fallen by another 125,000\.50 AUD since it was announced\. This is not a margin call/,
      action: /^Provide more cash or credit support/,
      figure: 'Deeper by: 125,000.50 AUD',
    },
  ],
  [
    'a deeper breach of an earlier release',
    'margin.breached',
    { cause: 'deepened', previousMargin: undefined },
    {
      title: 'Breach of the trading margin has become deeper, -60,000.5 AUD',
      explanation: /already, and has fallen further since it was announced/,
    },
  ],
  [
    'a breach of new thresholds',
    'margin.breached',
    { ...NEW_BREACH, cause: 'thresholds' },
    {
      title: 'Trading margin below the changed breach threshold, -60,000.5 AUD',
      explanation:
        /^Your own thresholds have changed\. By the new thresholds, the trading margin is below the breach/,
    },
  ],
  [
    'a warning',
    'margin.warning',
    { cause: 'calculation' },
    {
      title: 'Trading margin below the warning threshold, ',
      explanation: /^The trading margin is below your own warning/,
    },
  ],
  [
    'a warning of new thresholds',
    'margin.warning',
    { cause: 'thresholds' },
    {
      title: 'Trading margin below the changed warning threshold, ',
      explanation: /^Your own thresholds have changed/,
    },
  ],
  [
    'the end of a warning',
    'margin.restored',
    { level: 'OK', cause: 'calculation' },
    { title: 'Trading margin restored, ', explanation: /again\.$/, action: /^You can end the measures\.$/ },
  ],
  [
    'the end of a warning by new thresholds',
    'margin.restored',
    { level: 'OK', cause: 'thresholds' },
    {
      title: 'Trading margin above the changed warning threshold, ',
      explanation: /There is no new calculation\./,
    },
  ],
  [
    'a breach that is a warning now',
    'margin.restored',
    // Above the warning threshold, by less than the hysteresis.
    { level: 'WARNING', cause: 'calculation', tradingMargin: '105000.00' },
    {
      title: 'Trading margin no longer a breach, still a warning, 105,000.00 AUD',
      explanation: /^The trading margin has left the level of a breach/,
      action: /^Continue to prepare cash or credit support\.$/,
    },
  ],
  [
    'a breach that is a warning by new thresholds',
    'margin.restored',
    { level: 'WARNING', cause: 'thresholds' },
    {
      title: 'Trading margin no longer a breach by the changed thresholds, still a warning, ',
      explanation: /^Your own thresholds have changed\./,
    },
  ],
  [
    'a forecast of the operator',
    'margin.breach-forecast',
    { method: 'operator' },
    {
      title: 'Breach of the trading margin forecast, ',
      explanation: /^A forecast calculation of the operator/,
    },
  ],
  [
    'a forecast by the trend',
    'margin.breach-forecast',
    { method: 'trend' },
    { title: 'Breach of the trading margin forecast, ', explanation: /^By the trend/ },
  ],
  [
    'a forecast of the operator that no longer holds',
    'margin.forecast-cleared',
    { method: 'operator' },
    { title: 'Breach no longer forecast, ', explanation: /no longer forecasts a breach by the forecast/ },
  ],
  [
    'a forecast by the trend that no longer holds',
    'margin.forecast-cleared',
    { method: 'trend' },
    {
      title: 'Breach no longer forecast, ',
      explanation: /no longer forecasts a breach by the trend/,
      action: /^Check the trading margin before you end/,
    },
  ],
  [
    'short credit support',
    'credit-support.short',
    {},
    {
      title: 'Credit support below the credit limit, ',
      explanation: /^The credit support is below the credit/,
    },
  ],
  [
    'a statement in time',
    'statement.published',
    NOT_LATE,
    { title: 'Settlement statement published, ', explanation: /the statement of a settlement run\.$/ },
  ],
  [
    'a late statement',
    'statement.published',
    LATE,
    {
      title: 'Settlement statement published late, ',
      explanation: /after its day\.$/,
      figure: 'Late by: 3 days',
    },
  ],
  [
    'a statement from before the bridge',
    'statement.published',
    { ...NOT_LATE, restated: true },
    {
      title: 'Settlement statement published, ',
      explanation: /An earlier version may have existed/,
      action: /began when it was published\.$/,
    },
  ],
  [
    'other figures of a statement',
    'statement.revised',
    { repetition: undefined },
    {
      title: 'Settlement statement revised, ',
      explanation: /another version of a statement\.$/,
      figure: 'Run before: 4711',
    },
  ],
  [
    'a return to a version of a statement',
    'statement.revised',
    { repetition: 2 },
    { title: 'Settlement statement revised again, ', explanation: /made this change of a statement again/ },
  ],
  [
    'a statement with another run only',
    'statement.revised',
    { digest: DIGEST, runId: 4712, previous: { runId: 4711, digest: DIGEST } },
    {
      title: 'Settlement statement published again with the same figures, ',
      explanation: /No amount has changed\.$/,
      action: /^Replace the run/,
    },
  ],
  [
    'a statement with another time of publication only',
    'statement.revised',
    { digest: DIGEST, runId: 4711, previous: { runId: 4711, digest: DIGEST } },
    {
      title: 'Settlement statement published again with the same figures, ',
      explanation: /No amount has changed\.$/,
      action: /^Nothing\. Only the time/,
    },
  ],
  [
    'a new invoice',
    'invoice.issued',
    {},
    {
      title: 'Invoice issued, INV-0007, -19,622.17 AUD',
      explanation: /^The operator has issued an invoice\.$/,
      dueBy: '2026-04-02',
    },
  ],
  [
    'a changed invoice',
    'invoice.issued',
    { changed: { id: 'INV-0007', payableAmount: '-19622.71' } },
    {
      title: 'Invoice changed, INV-0007, from -19,622.71 AUD to -19,622.17 AUD',
      explanation: /has changed an invoice under the same number\.$/,
      action: /^Replace the booked invoice, and plan/,
    },
  ],
  [
    'an invoice that is changed repeatedly',
    'invoice.issued',
    { changed: { id: 'INV-0007' }, repetition: 2 },
    { title: 'Invoice changed again, INV-0007', explanation: /, as it did before\.$/ },
  ],
  [
    'a late invoice',
    'invoice.issued',
    LATE,
    {
      title: 'Invoice issued late, INV-0007',
      explanation: /after its day\.$/,
      figure: 'Due to be published: 2026-03-19',
    },
  ],
  [
    'an invoice from before the bridge',
    'invoice.issued',
    { restated: true },
    { title: 'Invoice issued, INV-0007', explanation: /An earlier version may have existed/ },
  ],
  [
    'an invoice without settlement',
    'invoice.issued',
    { settlementRequired: false },
    { title: 'Invoice issued, INV-0007', explanation: /./, action: /It needs no settlement\.$/, dueBy: null },
  ],
  [
    'an adjustment without settlement',
    'invoice.adjusted',
    { settlementRequired: false },
    {
      title: 'Invoice adjusted, ',
      explanation: /./,
      action: /^Book the difference .* It needs no settlement\.$/,
      dueBy: null,
    },
  ],
  [
    'a changed invoice that names a reversal',
    'invoice.issued',
    { changed: { id: 'INV-0007' }, reversedId: 'INV-0008' },
    {
      title: 'Invoice changed, INV-0007',
      explanation: /./,
      action: /^The invoice names a reversal/,
      dueBy: null,
    },
  ],
  [
    'a changed adjustment',
    'invoice.adjusted',
    { changed: { id: 'INV-0007' } },
    { title: 'Adjusted invoice changed, ', explanation: /under the same number\.$/ },
  ],
  [
    'a replaced invoice',
    'invoice.reversed',
    {},
    {
      title:
        'Invoice reversed and replaced, from INV-0007 to INV-0009, from -19,622.17 AUD to -19,496.02 AUD',
      explanation: /Another one replaces it\.$/,
      action: /Plan that of the new one\.$/,
      dueBy: '2026-04-02',
    },
  ],
  [
    'a replaced invoice without settlement',
    'invoice.reversed',
    { settlementRequired: false },
    {
      title: 'Invoice reversed and replaced, ',
      explanation: /./,
      action: /The new one needs no settlement\.$/,
      dueBy: null,
    },
  ],
  [
    'an invoice that nothing replaces',
    'invoice.reversed',
    { id: 'INV-0007' },
    {
      title: 'Invoice reversed, INV-0007',
      explanation: /no other one replaces it\.$/,
      action: /^Cancel the payment or receipt of the reversed invoice\.$/,
      figure: 'Amount of the reversed invoice: -19,622.17 AUD',
      without: ['Amount to settle', 'Due date'],
      dueBy: null,
    },
  ],
  [
    'amounts that do not agree with each other',
    'invoice.discrepancy',
    { comparedWith: undefined },
    { title: 'Invoice amounts do not agree, ', explanation: /with each other\.$/ },
  ],
  [
    'amounts that do not agree with the earlier invoice',
    'invoice.discrepancy',
    { comparedWith: DIGEST },
    { title: 'Invoice amounts do not agree with the earlier invoice, ', explanation: /of that invoice\.$/ },
  ],
  [
    'a payment',
    'payment.due',
    { direction: 'pay' },
    { title: 'Payment due soon, ', explanation: /./, action: /^Make sure that the amount arrives/ },
  ],
  [
    'a receipt',
    'payment.due',
    { direction: 'receive' },
    { title: 'Receipt due soon, ', explanation: /that the operator pays/, action: /^Check that the amount/ },
  ],
  [
    'a first estimation',
    'estimation.published',
    { isRevision: false },
    { title: 'Estimation published, ', explanation: /has published the estimation/ },
  ],
  [
    'another estimation',
    'estimation.published',
    { isRevision: true },
    { title: 'Estimation revised, ', explanation: /another version of the estimation/ },
  ],
  [
    'a forecast of the position',
    'position.calculated',
    { isForecast: true },
    { title: 'Prudential position forecast, ', explanation: /a forecast of the prudential position/ },
  ],
  [
    'a pause of the calculations',
    'position.stale',
    {},
    {
      title: 'No new prudential calculation',
      explanation: /for longer than allowed/,
      figure: 'Last calculation: 2026-03-02 10:15:30 market time (UTC+8)',
    },
  ],
  [
    'no calculation at all',
    'position.stale',
    { neverCalculated: true },
    {
      title: 'No prudential calculation yet',
      explanation: /since its first poll/,
      action: /^Check the address and the account/,
      figure: 'First poll: 2026-03-02 10:15:30 market time (UTC+8)',
    },
  ],
  [
    'the first calculation',
    'position.resumed',
    { neverCalculated: true },
    { title: 'First prudential calculation', explanation: /has read the first calculation/ },
  ],
  [
    'a refused certificate',
    'market.unreachable',
    { cause: 'certificate' },
    { title: 'Operator not reachable, ', explanation: /client certificate .*Nothing new of it is read\.$/ },
  ],
  [
    'an unknown cause',
    'market.unreachable',
    { cause: 'constructor' },
    { title: 'Operator not reachable, ', explanation: /refuses the bridge or does not respond/ },
  ],
  [
    'a fault that lasts',
    'bridge.alert.raised',
    { reason: 'heartbeat-missing', count: 1 },
    { title: 'Fault of the bridge, ', explanation: /^The bridge itself has a fault\. Facts may arrive late/ },
  ],
  [
    'a fault that occurred repeatedly and has no end',
    'bridge.alert.raised',
    { reason: 'dead-letter', count: 3 },
    {
      title: 'Fault of the bridge, ',
      explanation: /occurred 3 times since it began\. It stays until a person/,
    },
  ],
])('the text of %s', (_, type, data, expected) => {
  const file = new URL(`settlementbus.${type}.v1.json`, EXAMPLES);
  const event = JSON.parse(readFileSync(file, 'utf8')) as { participant: string; data: object };
  const about = describeMessage({
    eventId: '6f1c0b3e-2f4f-4d3e-9a66-0c2f5d1f7a10',
    kind: 'notice',
    severity: 'info',
    marks: [],
    problemId: null,
    subject: 'ALPHA/subject',
    text: JSON.stringify({ ...event, data: { ...event.data, ...data } }),
  });
  const { title, explanation, action = /./, figure, without = [], dueBy } = expected;
  expect(about.title.slice(about.title.indexOf(': ') + 2, title.length + about.title.indexOf(': ') + 2)).toBe(
    title,
  );
  expect(about.explanation).toMatch(explanation);
  expect(about.action).toMatch(action);
  if (figure !== undefined)
    expect(about.figures.map(({ label, value }) => `${label}: ${value}`)).toContain(figure);
  expect(about.figures.filter(({ label }) => without.includes(label))).toEqual([]);
  if (dueBy !== undefined) expect(about.dueBy ?? null).toBe(dueBy);
});

import type { EventDataByType, FactType } from '../src/definitions.js';

/** An example of each type about settlement. Together they tell the story of one week of market WEM and one month of NSTEM. */

export type SettlementType = Extract<
  FactType,
  `settlementbus.${'statement' | 'invoice' | 'payment' | 'estimation' | 'timeline'}.${string}`
>;

const WEEK = {
  period: 'TW 01 Mar 2026',
  periodFrom: '2026-03-01T00:00:00',
  periodTo: '2026-03-07T00:00:00',
} as const;

const DIGEST_OF_RUN_4711 = '9f2c4ab1be07d53f6a11c8e2706cd9b3e0457f8f4c2a6db18e93b55d0f7a6c21';
const DIGEST_OF_RUN_4803 = '3be1d07c92a54f6e8d10b7c4f3a2956e1c08dd47ab9f6123e57c0d84b1f9a63e';
const DIGEST_OF_INVOICE = '6d0f5b7e31c94a82be6f70d15c2e9834a7f1b3c05d8e624f9a0b17c6d3e85f42';
const DIGEST_OF_NEXT_INVOICE = 'c48e19fa7d2b56034e8f91ab6c70d5e2f3946b18a5d07ce9b2f8134d6ea05b79';

const FIRST_TOTALS = { payment: '18250.397825', charge: '412.06' } as const;

const statement = {
  ...WEEK,
  runId: 4711,
  publishedAt: '2026-03-20T17:00:05',
  marketService: 'WEM',
  designation: 'INITIAL',
  tradingDays: 7,
  totals: FIRST_TOTALS,
  digest: DIGEST_OF_RUN_4711,
  variables: [
    {
      tradingDay: '2026-03-01T00:00:00',
      variable: 'Energy trading – balancing',
      pOrC: 'P',
      gstApplicable: 'Y',
      value: '12034.517825',
    },
    {
      tradingDay: '2026-03-02T00:00:00',
      variable: 'Energy trading – balancing',
      pOrC: 'P',
      gstApplicable: 'Y',
      value: '6215.88',
    },
    {
      tradingDay: '2026-03-02T00:00:00',
      variable: 'Market fees',
      pOrC: 'C',
      gstApplicable: 'N',
      value: '412.06',
    },
  ],
} as const;

const [firstVariable, secondVariable, fees] = statement.variables;

/** 20 business days after Friday, 20 March. */
const disagreementWindow = {
  marketService: 'WEM',
  designation: 'INITIAL',
  periodFrom: WEEK.periodFrom,
  runId: 4711,
  publishedAt: statement.publishedAt,
  digest: statement.digest,
  disagreeUntil: '2026-04-17',
} as const;

const invoice = {
  id: 'INV-0007',
  market: 'WEM',
  designation: 'INITIAL',
  periodFrom: WEEK.periodFrom,
  tradeWeek: WEEK.period,
  adjustment: 0,
  invoiceDate: '2026-03-25',
  dueDate: '2026-04-02',
  gstExclusive: '-17838.34',
  gst: '-1783.83',
  total: '-19622.17',
  payableAmount: '-19622.17',
  direction: 'receive',
  settlementRequired: true,
  digest: DIGEST_OF_INVOICE,
} as const;

const adjustedInvoice = {
  ...invoice,
  id: 'INV-0031',
  designation: 'ADJ1',
  adjustment: 1,
  invoiceDate: '2026-06-03',
  dueDate: '2026-06-11',
  gstExclusive: '114.68',
  gst: '11.47',
  total: '126.15',
  payableAmount: '126.15',
  direction: 'pay',
  digest: DIGEST_OF_NEXT_INVOICE,
} as const;

export const SETTLEMENT_FACTS: { readonly [Type in SettlementType]: EventDataByType[Type] } = {
  'settlementbus.statement.published.v1': {
    ...statement,
    disagreeUntil: '2026-04-17',
    // From the end of 19 March to the publication.
    late: { dueDate: '2026-03-19', seconds: 61_205 },
  },
  'settlementbus.statement.revised.v1': {
    ...statement,
    runId: 4803,
    publishedAt: '2026-03-23T11:30:00',
    totals: { payment: '18135.717825', charge: '412.06' },
    digest: DIGEST_OF_RUN_4803,
    disagreeUntil: '2026-04-20',
    variables: [firstVariable, { ...secondVariable, value: '6101.2' }, fees],
    previous: {
      runId: 4711,
      publishedAt: '2026-03-20T17:00:05',
      totals: FIRST_TOTALS,
      digest: DIGEST_OF_RUN_4711,
    },
    difference: { payment: '-114.68', charge: '0' },
    changes: {
      count: 1,
      items: [
        {
          tradingDay: '2026-03-02T00:00:00',
          variable: 'Energy trading – balancing',
          pOrC: 'P',
          gstApplicable: 'Y',
          before: '6215.88',
          after: '6101.2',
          difference: '-114.68',
          share: '100.00',
        },
      ],
      rest: { count: 0, payment: '0', charge: '0' },
    },
  },
  'settlementbus.statement.overdue.v1': {
    ...WEEK,
    marketService: 'WEM',
    designation: 'INITIAL',
    statementDate: '2026-03-19',
    overdueSince: '2026-03-20T01:00:00',
  },
  'settlementbus.statement.disagreement-due.v1': {
    ...disagreementWindow,
    reminder: 5,
    remindOn: '2026-04-10',
    businessDaysLeft: 5,
  },
  'settlementbus.statement.disagreement-lapsed.v1': disagreementWindow,
  'settlementbus.invoice.issued.v1': invoice,
  'settlementbus.invoice.adjusted.v1': adjustedInvoice,
  'settlementbus.invoice.reversed.v1': {
    ...invoice,
    id: 'INV-0009',
    reversedId: 'INV-0007',
    invoiceDate: '2026-03-26',
    gstExclusive: '-17723.66',
    gst: '-1772.36',
    total: '-19496.02',
    payableAmount: '-19496.02',
    digest: DIGEST_OF_NEXT_INVOICE,
    reversed: {
      id: 'INV-0007',
      digest: DIGEST_OF_INVOICE,
      dueDate: '2026-04-02',
      total: '-19622.17',
      payableAmount: '-19622.17',
      direction: 'receive',
    },
  },
  'settlementbus.invoice.overdue.v1': {
    ...WEEK,
    marketService: 'WEM',
    designation: 'INITIAL',
    invoiceDate: '2026-03-25',
    overdueSince: '2026-03-26T01:00:00',
  },
  'settlementbus.invoice.discrepancy.v1': {
    id: 'INV-0007',
    market: 'WEM',
    designation: 'INITIAL',
    periodFrom: WEEK.periodFrom,
    adjustment: 0,
    direction: 'receive',
    digest: DIGEST_OF_INVOICE,
    discrepancies: [
      { rule: 'line-items', path: 'paymentSummary.total', expected: '-19622.71', stated: '-19622.17' },
    ],
    count: 1,
  },
  'settlementbus.invoice.document-stored.v1': {
    invoiceId: 'INV-0007',
    market: 'WEM',
    designation: 'INITIAL',
    periodFrom: WEEK.periodFrom,
    digest: DIGEST_OF_INVOICE,
    sha256: 'a7d0c9e4f1b2463875e6d9c0b1a2f3e4d5c6b7a8990817263544f5e6d7c8b9a0',
    bytes: 48213,
    mediaType: 'application/pdf',
    storedAt: '2026-03-25T01:00:04.250Z',
  },
  'settlementbus.payment.due.v1': {
    invoiceId: 'INV-0031',
    market: 'WEM',
    designation: 'ADJ1',
    periodFrom: WEEK.periodFrom,
    dueDate: '2026-06-11',
    reminder: 5,
    dayKind: 'calendar',
    remindOn: '2026-06-06',
    daysLeft: 5,
    payableAmount: '126.15',
    digest: DIGEST_OF_NEXT_INVOICE,
    direction: 'pay',
    // With the receivable invoice of another market on the same day.
    dayTotals: { payable: '126.15', receivable: '2213.05', net: '2086.90', invoices: 2 },
  },
  'settlementbus.estimation.published.v1': {
    runId: 5120,
    publishedAt: '2026-03-16T09:15:00',
    designation: 'INITIAL',
    period: 'MAR 2026',
    periodFrom: '2026-03-01T00:00:00',
    periodTo: '2026-03-31T00:00:00',
    tradingDay: '2026-03-14T00:00:00',
    digest: '75b0c2d9184e6fa30c7d51be92f4a86d03e5b7c1f8a2964de013c5b87f6a9e2d',
    isRevision: false,
    variables: [
      {
        variable: 'Essential system services cost',
        scope: 'ALPHA',
        granularity: 'I',
        values: 48,
        sum: '2213.04510000',
      },
    ],
    count: 1,
  },
  'settlementbus.timeline.changed.v1': {
    changes: [
      {
        kind: 'moved',
        ...WEEK,
        marketService: 'WEM',
        designation: 'INITIAL',
        date: 'statementDate',
        from: '2026-03-19T00:00:00',
        to: '2026-03-20T00:00:00',
      },
    ],
    count: 1,
    revision: 3,
    digest: 'a91c07e5d3f24b6889ce10fd57a6b3e204c8d91f7be65a30d2f4c8167b09ae53',
  },
};

import { MarketDate, Text, Time } from '../http/fields.js';
import { IsParticipants } from '../http/market-fields.js';
import { IsOneOf, PageQuery } from '../http/page.js';
import { MARKETS } from '../settlement/settlement-dto.js';

const KINDS = ['unknown', 'statement', 'invoice', 'document', 'calculation'] as const;

/** Which open items a listing has. */
export class OpenItemsQuery extends PageQuery {
  @IsParticipants()
  readonly participant?: readonly string[];

  @IsOneOf(MARKETS, 'Market service. Calculations have none. Items `unknown` may be of every market.')
  readonly market?: readonly string[];

  @IsOneOf(KINDS, 'What is missing.')
  readonly kind?: readonly string[];
}

/** Something that the operator should have published by now, and has not. */
export class OpenItemRow {
  @Text({ description: 'Code of the participant.' }) readonly participant!: string;
  @Text({
    description:
      'statement, invoice: its day in the timeline has come. document: the invoice is there, and its PDF is not stored. calculation: none came within the allowed time. unknown: the poller has not read the interface, or not in the last hour, so further items may be missing here.',
    values: KINDS,
  })
  readonly kind!: string;
  @Text({
    description: 'Of an item `unknown`: the interface of the operator.',
    values: ['settlement', 'prudential'],
    optional: true,
  })
  readonly interface?: string;
  @Text({ description: 'Market service.', optional: true }) readonly market?: string;
  @MarketDate({ description: 'First trading day of the period.', optional: true })
  readonly periodFrom?: string;
  @Text({ description: 'Designation of the run, such as INITIAL.', optional: true })
  readonly designation?: string;
  @Text({ description: 'Name of the period.', optional: true }) readonly period?: string;
  @Text({ description: "The operator's identifier of the invoice of a document.", optional: true })
  readonly invoiceNumber?: string;
  @MarketDate({ description: 'Its day in the timeline.', optional: true }) readonly expectedOn?: string;
  @Time({
    description:
      'Since when it is missing: the beginning of its day; of a document when its invoice was seen, of a calculation the time of the last one; of what is unknown the time of the last poll that succeeded. Absent when there is none.',
    optional: true,
  })
  readonly since?: string;
  @Time({
    description:
      'Since when it is overdue: the end of the time that CONFIG_FILE allows, and a day for a document. Absent before.',
    optional: true,
  })
  readonly overdueSince?: string;
  @Time({
    description: 'When the poller last read the interface of the operator. Absent before the first time.',
    optional: true,
  })
  readonly checkedAt?: string;
  @Text({ description: 'Why it is missing, where that is known.', optional: true })
  readonly detail?: string;
}

export const OPEN_ITEM_COLUMNS = [
  ...['participant', 'kind', 'interface', 'market', 'periodFrom', 'designation', 'period', 'invoiceNumber'],
  ...['expectedOn', 'since', 'overdueSince', 'checkedAt', 'detail'],
];

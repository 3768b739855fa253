import type { EventDefinition, EventGuide, FactDefinition } from './definition.js';
import type { EventType } from './envelope/event-type.js';
import { alertCleared, alertRaised } from './types/bridge-alert.js';
import { creditSupportRestored, creditSupportShort } from './types/credit-support.js';
import { disagreementDue, disagreementLapsed } from './types/disagreement.js';
import { marginBreachForecast, marginForecastCleared } from './types/forecasts.js';
import { heartbeat } from './types/heartbeat.js';
import { invoiceDiscrepancy } from './types/invoice-discrepancy.js';
import { invoiceDocumentStored } from './types/invoice-document.js';
import { invoiceAdjusted, invoiceIssued, invoiceOverdue, invoiceReversed } from './types/invoices.js';
import { marginBreached, marginRestored, marginWarning } from './types/margin.js';
import { marketRecovered, marketUnreachable } from './types/market-access.js';
import { paymentDue } from './types/payment-due.js';
import { positionCalculated, positionResumed, positionStale } from './types/positions.js';
import { statementOverdue, statementPublished, statementRevised } from './types/statements.js';
import { estimationPublished, timelineChanged } from './types/timeline.js';

/** The facts of the market and of the participant's position. */
export const FACT_DEFINITIONS = {
  'settlementbus.statement.published.v1': statementPublished,
  'settlementbus.statement.revised.v1': statementRevised,
  'settlementbus.statement.overdue.v1': statementOverdue,
  'settlementbus.statement.disagreement-due.v1': disagreementDue,
  'settlementbus.statement.disagreement-lapsed.v1': disagreementLapsed,
  'settlementbus.invoice.issued.v1': invoiceIssued,
  'settlementbus.invoice.adjusted.v1': invoiceAdjusted,
  'settlementbus.invoice.reversed.v1': invoiceReversed,
  'settlementbus.invoice.overdue.v1': invoiceOverdue,
  'settlementbus.invoice.discrepancy.v1': invoiceDiscrepancy,
  'settlementbus.invoice.document-stored.v1': invoiceDocumentStored,
  'settlementbus.payment.due.v1': paymentDue,
  'settlementbus.estimation.published.v1': estimationPublished,
  'settlementbus.timeline.changed.v1': timelineChanged,
  'settlementbus.position.calculated.v1': positionCalculated,
  'settlementbus.position.stale.v1': positionStale,
  'settlementbus.position.resumed.v1': positionResumed,
  'settlementbus.margin.warning.v1': marginWarning,
  'settlementbus.margin.breached.v1': marginBreached,
  'settlementbus.margin.restored.v1': marginRestored,
  'settlementbus.margin.breach-forecast.v1': marginBreachForecast,
  'settlementbus.margin.forecast-cleared.v1': marginForecastCleared,
  'settlementbus.credit-support.short.v1': creditSupportShort,
  'settlementbus.credit-support.restored.v1': creditSupportRestored,
  'settlementbus.market.unreachable.v1': marketUnreachable,
  'settlementbus.market.recovered.v1': marketRecovered,
} satisfies Partial<Record<EventType, { readonly guide: EventGuide }>>;

/** Every event type, with those about the bridge itself. */
export const DEFINITIONS = {
  ...FACT_DEFINITIONS,
  'settlementbus.bridge.alert.raised.v1': alertRaised,
  'settlementbus.bridge.alert.cleared.v1': alertCleared,
  'settlementbus.bridge.heartbeat.v1': heartbeat,
} satisfies Record<EventType, { readonly guide: EventGuide }>;

type DataOf<Definition> = Definition extends EventDefinition<infer Data> ? Data : never;

export type FactType = keyof typeof FACT_DEFINITIONS;

/** The `data` of each event type. */
export type EventDataByType = { readonly [Type in EventType]: DataOf<(typeof DEFINITIONS)[Type]> };

/** The definition of a type, for code that handles every type alike. */
export function definitionOf(type: EventType): EventDefinition<object> {
  return DEFINITIONS[type] as unknown as EventDefinition<object>;
}

export function factDefinitionOf(type: FactType): FactDefinition<object> {
  return FACT_DEFINITIONS[type] as unknown as FactDefinition<object>;
}

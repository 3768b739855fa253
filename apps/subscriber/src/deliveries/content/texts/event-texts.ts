import { isEventType, type EventType } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import type { EventPart } from '../message-body.js';
import { POSITION_VARIANTS } from './position-variants.js';
import { SETTLEMENT_VARIANTS } from './settlement-variants.js';
import type { EventText, ReasonData } from './text-variant.js';

const EVENT_TEXTS: Readonly<Record<EventType, EventText>> = {
  'settlementbus.statement.published.v1': {
    title: 'Settlement statement published',
    explanation: 'The operator has published the statement of a settlement run.',
    action: 'Compare it with your own calculation. The window for a notice of disagreement has begun.',
  },
  'settlementbus.statement.revised.v1': {
    title: 'Settlement statement revised',
    explanation: 'The operator has published another version of a statement.',
    action: 'Replace the earlier statement in your books, and check the changes.',
  },
  'settlementbus.statement.overdue.v1': {
    title: 'Settlement statement overdue',
    explanation: 'The day of the statement has passed, and the operator has not published it.',
    action: 'Request the statement from the operator.',
  },
  'settlementbus.statement.disagreement-due.v1': {
    title: 'Last day to dispute a statement is near',
    explanation: 'The window for a notice of disagreement about a statement ends soon.',
    action:
      'Send the notice of disagreement at the latest on the last day, or close the problem with a comment that says why there is none.',
  },
  'settlementbus.statement.disagreement-lapsed.v1': {
    title: 'Window to dispute a statement has ended',
    explanation: 'The last day for a notice of disagreement about a statement has passed.',
    action: 'Nothing, when the notice was sent or is not needed.',
  },
  'settlementbus.invoice.issued.v1': {
    title: 'Invoice issued',
    explanation: 'The operator has issued an invoice.',
    action: 'Book it, and plan the payment or receipt for the due date.',
  },
  'settlementbus.invoice.adjusted.v1': {
    title: 'Invoice adjusted',
    explanation: 'The operator has issued an adjusted version of an invoice.',
    action: 'Book the difference from the earlier invoice, and settle the amount by the due date.',
  },
  'settlementbus.invoice.reversed.v1': {
    title: 'Invoice reversed',
    explanation: 'An invoice is no longer valid, and no other one replaces it.',
    action: 'Cancel the payment or receipt of the reversed invoice.',
    isDue: false,
  },
  'settlementbus.invoice.overdue.v1': {
    title: 'Invoice overdue',
    explanation: 'The day of the invoice has passed, and the operator has not issued it.',
    action: 'Request the invoice from the operator.',
  },
  'settlementbus.invoice.discrepancy.v1': {
    title: 'Invoice amounts do not agree',
    explanation: 'Amounts of an invoice do not agree with each other.',
    action: 'Check the amounts, and send the operator a notice of disagreement if they are wrong.',
  },
  'settlementbus.invoice.document-stored.v1': {
    title: 'Invoice document stored',
    explanation: 'The bridge has stored the PDF of an invoice.',
    action: 'Fetch it from the archive API, or with busbridge documents get.',
  },
  'settlementbus.payment.due.v1': {
    title: 'Payment due soon',
    explanation: 'The due date of an invoice is near.',
    action: 'Make sure that the amount arrives at the latest on the due date.',
  },
  'settlementbus.estimation.published.v1': {
    title: 'Estimation published',
    explanation: 'The operator has published the estimation of a trading day.',
    action: 'Compare it with your own estimation of the exposure.',
  },
  'settlementbus.timeline.changed.v1': {
    title: 'Settlement timeline changed',
    explanation: 'The operator has changed dates of settlement runs.',
    action: 'Check the new dates in the timeline.',
  },
  'settlementbus.position.calculated.v1': {
    title: 'Prudential position calculated',
    explanation: 'The operator has calculated the prudential position.',
    action: 'Nothing.',
  },
  'settlementbus.position.stale.v1': {
    title: 'No new prudential calculation',
    explanation: 'The bridge has read no new calculation of the operator for longer than allowed.',
    action:
      'Do not rely on the last margin. Check whether the operator is reachable, and request the reason from it.',
  },
  'settlementbus.position.resumed.v1': {
    title: 'Prudential calculations resumed',
    explanation: 'There is a new calculation of the operator.',
    action: 'Rely on the margin again.',
  },
  'settlementbus.margin.warning.v1': {
    title: 'Trading margin below the warning threshold',
    explanation: 'The trading margin is below your own warning threshold.',
    action: 'Check the coming trading days, and prepare cash or credit support.',
  },
  'settlementbus.margin.breached.v1': {
    title: 'Trading margin below the breach threshold',
    explanation:
      'The trading margin is below your own breach threshold. This is not a margin call of the operator.',
    action: 'Provide cash or credit support.',
  },
  'settlementbus.margin.restored.v1': {
    title: 'Trading margin restored',
    explanation: 'The trading margin is above your own warning threshold again.',
    action: 'You can end the measures.',
  },
  'settlementbus.margin.breach-forecast.v1': {
    title: 'Breach of the trading margin forecast',
    explanation:
      'The trading margin will be below your own breach threshold, by the forecast of the operator or by its trend.',
    action: 'Plan cash or credit support for the day of the forecast breach.',
  },
  'settlementbus.margin.forecast-cleared.v1': {
    title: 'Breach no longer forecast',
    explanation: 'The bridge no longer forecasts a breach.',
    action: 'Check the trading margin before you end the measures that the forecast started.',
  },
  'settlementbus.credit-support.short.v1': {
    title: 'Credit support below the credit limit',
    explanation:
      'The credit support is below the credit limit. The market requires at least the limit at all times.',
    action: 'Increase the credit support by at least the difference.',
  },
  'settlementbus.credit-support.restored.v1': {
    title: 'Credit support sufficient again',
    explanation: 'The credit support is at least the credit limit again.',
    action: 'End the measures that you took because of the shortage.',
  },
  'settlementbus.market.unreachable.v1': {
    title: 'Operator not reachable',
    explanation:
      'An interface of the operator refuses the bridge or does not respond, so nothing new of it is read.',
    action: 'Check the position and the settlement in another way until the operator is reachable.',
  },
  'settlementbus.market.recovered.v1': {
    title: 'Operator reachable again',
    explanation: 'The interface of the operator responds again.',
    action: 'Nothing. What the operator published meanwhile follows.',
  },
  'settlementbus.bridge.alert.raised.v1': {
    title: 'Fault of the bridge',
    explanation: 'The bridge itself has a fault. Facts may arrive late until it has ended.',
    action: 'Pass this to the operators of the bridge.',
  },
  'settlementbus.bridge.alert.cleared.v1': {
    title: 'Fault of the bridge ended',
    explanation: 'A fault of the bridge has ended.',
    action: 'Nothing.',
  },
  'settlementbus.bridge.heartbeat.v1': {
    title: 'Heartbeat',
    explanation: 'The pipeline works.',
    action: 'Nothing.',
  },
};

const VARIANTS = { ...SETTLEMENT_VARIANTS, ...POSITION_VARIANTS };

/** The texts of an event: those of its type, and what the reason in its data changes. An archive can hold types of another release. */
export function eventText({ type, data }: Pick<EventPart, 'data'> & { readonly type: string }): EventText {
  if (isEventType(type)) return { ...EVENT_TEXTS[type], ...VARIANTS[type]?.((data ?? {}) as ReasonData) };
  return {
    title: toPrintable(type, 100),
    explanation: 'This type of event is not known.',
    action: 'Read the event.',
  };
}

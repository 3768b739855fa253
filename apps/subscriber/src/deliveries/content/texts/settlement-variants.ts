import type { EventType } from '@ssb/events';
import type { Variant } from './text-variant.js';

const MAY_HAVE_EXISTED = 'An earlier version may have existed that the bridge has not seen.';

const published: Variant = ({ late, restated }) => ({
  ...(late && {
    title: 'Settlement statement published late',
    explanation: 'The operator has published the statement of a settlement run after its day.',
  }),
  ...(restated && {
    explanation: `The operator had published this statement before the bridge first saw its run. ${MAY_HAVE_EXISTED}`,
    action:
      'Compare it with your own calculation. The window for a notice of disagreement began when it was published.',
  }),
});

const revised: Variant = ({ repetition, digest, runId, previous }) => {
  if (repetition !== undefined)
    return {
      title: 'Settlement statement revised again',
      explanation:
        'The operator has made this change of a statement again. It had gone back to another version meanwhile.',
    };
  if (digest === undefined || digest !== previous?.digest) return {};
  return {
    title: 'Settlement statement published again with the same figures',
    explanation: 'The operator has published another version of a statement. No amount has changed.',
    action:
      runId === previous.runId
        ? 'Nothing. Only the time of publication has changed.'
        : 'Replace the run of the statement in your books.',
  };
};

/** An invoice that is new, or that changed under the same number. */
const invoice =
  (name: 'Invoice' | 'Adjusted invoice'): Variant =>
  ({ changed, repetition, late, restated, settlementRequired, reversedId }) => ({
    ...(late && {
      title: name === 'Invoice' ? 'Invoice issued late' : 'Adjusted invoice issued late',
      explanation: 'The operator has issued an invoice after its day.',
    }),
    ...(restated && { explanation: `The operator has issued an invoice. ${MAY_HAVE_EXISTED}` }),
    ...(changed && {
      title: repetition === undefined ? `${name} changed` : `${name} changed again`,
      explanation: `The operator has changed an invoice under the same number${repetition === undefined ? '' : ', as it did before'}.`,
      action: 'Replace the booked invoice, and plan the payment or receipt for the due date.',
    }),
    ...(settlementRequired === false && {
      action: `${bookingOf(name, changed !== undefined)} It needs no settlement.`,
      isDue: false,
    }),
    ...(changed !== undefined &&
      reversedId !== undefined && {
        action: 'The invoice names a reversal. Check that it is still valid before you book the change.',
        isDue: false,
      }),
  });

function bookingOf(name: 'Invoice' | 'Adjusted invoice', isChanged: boolean): string {
  if (isChanged) return 'Replace the booked invoice.';
  return name === 'Invoice' ? 'Book it.' : 'Book the difference from the earlier invoice.';
}

/** The data are those of the invoice that replaces the reversed one, or of the reversed one itself. */
const reversed: Variant = ({ id, reversed: former, settlementRequired }) => {
  if (id === former?.id) return {};
  const isDue = settlementRequired !== false;
  return {
    title: 'Invoice reversed and replaced',
    explanation: 'An invoice is no longer valid. Another one replaces it.',
    action: `Cancel the payment or receipt of the reversed invoice. ${isDue ? 'Plan that of the new one.' : 'The new one needs no settlement.'}`,
    isDue,
  };
};

const discrepancy: Variant = ({ comparedWith }) =>
  comparedWith === undefined
    ? {}
    : {
        title: 'Invoice amounts do not agree with the earlier invoice',
        explanation:
          'Amounts that an invoice repeats from the earlier invoice are not those of that invoice.',
      };

const due: Variant = ({ direction }) =>
  direction === 'receive'
    ? {
        title: 'Receipt due soon',
        explanation: 'The due date of an invoice that the operator pays is near.',
        action: 'Check that the amount arrives at the latest on the due date.',
      }
    : {};

const estimation: Variant = ({ isRevision, repetition }) =>
  isRevision
    ? {
        title: repetition === undefined ? 'Estimation revised' : 'Estimation revised again',
        explanation: 'The operator has published another version of the estimation of a trading day.',
      }
    : {};

/** Of the events about settlement. */
export const SETTLEMENT_VARIANTS: Readonly<Partial<Record<EventType, Variant>>> = {
  'settlementbus.statement.published.v1': published,
  'settlementbus.statement.revised.v1': revised,
  'settlementbus.invoice.issued.v1': invoice('Invoice'),
  'settlementbus.invoice.adjusted.v1': invoice('Adjusted invoice'),
  'settlementbus.invoice.reversed.v1': reversed,
  'settlementbus.invoice.discrepancy.v1': discrepancy,
  'settlementbus.payment.due.v1': due,
  'settlementbus.estimation.published.v1': estimation,
};

import Sequencer from '@jest/test-sequencer';

/**
 * The files that take longest, longest first: one of them begun last would be waited for by idle cores. Jest knows how long a file took
 * only where it ran before, which a fresh clone has not.
 */
const LONGEST = [
  'test/src/bus-survival.spec.ts',
  'test/src/survival.spec.ts',
  'test/src/replicas.spec.ts',
  'test/src/start.spec.ts',
  'test/src/demo.spec.ts',
  'test/src/start-refused.spec.ts',
  'test/src/road.spec.ts',
  'test/src/forgery.spec.ts',
  'test/src/market.spec.ts',
  'test/src/plain-clients.spec.ts',
  'apps/reporting/src/operator.spec.ts',
  'apps/reporting/src/tokens/callers.spec.ts',
  'apps/gateway/src/gateway.spec.ts',
  'apps/gateway/src/events/events-sharing.spec.ts',
  'libs/queue/src/queue.spec.ts',
  'apps/reporting/src/conformance.spec.ts',
  'apps/reporting/src/fuzz.spec.ts',
  'apps/simulator/src/history.spec.ts',
  'apps/token/src/command/accounts-command.spec.ts',
  'apps/gateway/src/document-002.spec.ts',
  'apps/broker/src/broker.messages.spec.ts',
  'apps/broker/src/broker.stream.spec.ts',
  'apps/gateway/src/session.spec.ts',
  'apps/simulator/src/domain/calendar-steps.spec.ts',
  'libs/identity/src/curve/curve.spec.ts',
  'apps/reporting/src/unstorable-text.spec.ts',
  'apps/reporting/src/invoice-file/render-invoice-file.spec.ts',
];

/** The longest first, then whatever order Jest would choose. */
export default class LongestFirst extends Sequencer {
  /** @override */
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((file) => path.endsWith(`/${file}`));
      return found < 0 ? LONGEST.length : found;
    };
    return [...super.sort(tests)].sort((one, other) => place(one) - place(other));
  }
}

const { default: Sequencer } = require('@jest/test-sequencer');

/** The size of a file does not show how long it takes. */
const LONGEST = [
  'test/dist/resilience',
  'test/dist/bridge',
  'test/dist/bus-faults',
  'test/dist/bus',
  'test/bus',
  'test/plain-delivery',
  'test/brokers',
  'deliveries/delivery-dispatcher',
  'redis/failover',
];

/** Starts the longest test files first, so that none of them runs alone at the end. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((name) => path.endsWith(`/${name}.spec.js`));
      return index < 0 ? LONGEST.length : index;
    };
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
};

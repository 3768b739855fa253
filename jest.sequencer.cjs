const { default: Sequencer } = require('@jest/test-sequencer');

/** They import their suites, so the size of the file does not show how long they take. */
const LONGEST = ['resilience', 'bridge', 'scenarios', 'bus-faults', 'start'];

/** Starts the longest system tests first, so that none of them runs alone at the end. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const index = LONGEST.findIndex((name) => path.endsWith(`/test/dist/${name}.spec.js`));
      return index < 0 ? LONGEST.length : index;
    };
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
};

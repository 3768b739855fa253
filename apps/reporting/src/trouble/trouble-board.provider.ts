import { Metrics } from '@ssb/platform';
import { TroubleBoard } from './trouble-board.js';

/** The board of the operator's side, which counts what it does. */
export const troubleBoard = {
  provide: TroubleBoard,
  inject: [Metrics],
  useFactory: (metrics: Metrics): TroubleBoard => {
    const applied = metrics.counter({
      name: 'reporting_troubles_applied_total',
      help: 'Answers to participants that were spoilt on purpose, by kind of trouble',
      labelNames: ['kind'],
    });
    const board = new TroubleBoard({ onApplied: (kind) => applied.inc({ kind }) });
    metrics.gauge({
      name: 'reporting_troubles',
      help: 'Troubles that are switched on',
      collect() {
        this.set(board.list().length);
      },
    });
    return board;
  },
};

import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';
import type { AccessRefusal } from '../access/access-decision.js';

/** Counts the answers to participants. */
@Injectable()
export class OperationMetrics {
  private readonly answers;

  constructor(metrics: Metrics) {
    this.answers = metrics.counter({
      name: 'reporting_answers_total',
      help: 'Answers to participants by operation and outcome: found, not-found, failed, or why access was refused',
      labelNames: ['operation', 'outcome'],
    });
  }

  count(operation: string, outcome: 'found' | 'not-found' | 'failed' | AccessRefusal): void {
    this.answers.inc({ operation, outcome });
  }
}

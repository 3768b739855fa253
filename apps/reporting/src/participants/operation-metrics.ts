import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';
import type { AccessRefusal } from '../access/access-decision.js';
import { METRICS } from '../metrics.js';

/** Counts the answers to participants. */
@Injectable()
export class OperationMetrics {
  private readonly answers;

  constructor(metrics: Metrics) {
    this.answers = metrics.counter(METRICS.answers);
  }

  count(operation: string, outcome: 'found' | 'not-found' | 'failed' | AccessRefusal): void {
    this.answers.inc({ operation, outcome });
  }
}

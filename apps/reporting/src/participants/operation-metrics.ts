import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';
import type { AccessRefusal } from '../access/access-decision.js';
import { METRICS } from '../metrics.js';

/** Counts the responses to participants. */
@Injectable()
export class OperationMetrics {
  private readonly responses;

  constructor(metrics: Metrics) {
    this.responses = metrics.counter(METRICS.responses);
  }

  count(operation: string, outcome: 'found' | 'not-found' | 'failed' | AccessRefusal): void {
    this.responses.inc({ operation, outcome });
  }
}

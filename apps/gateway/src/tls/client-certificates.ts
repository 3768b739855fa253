import { X509Certificate } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Metrics } from '@ssb/platform';
import { METRICS } from '../metrics.js';

const DAY_MS = 24 * 3_600_000;

/** Shows when the client certificates of the gateway expire. */
@Injectable()
export class ClientCertificates {
  private readonly certificates = new Map<string, () => Buffer | undefined>();

  constructor(metrics: Metrics) {
    metrics.gauge(METRICS.certificate, (gauge) => {
      for (const [server, current] of this.certificates) {
        const content = current();
        if (content === undefined) continue;
        const expires = Date.parse(new X509Certificate(content).validTo);
        gauge.set({ interface: server }, (expires - Date.now()) / DAY_MS);
      }
    });
  }

  /** @param current returns the present certificate in PEM; undefined without one */
  observe(server: 'broker' | 'events-client', current: () => Buffer | undefined): void {
    this.certificates.set(server, current);
  }
}

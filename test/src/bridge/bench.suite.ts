import { waitFor } from '@ssb/testing';
import { measurePipeline } from '../bench/pipeline/measure-pipeline.js';
import { running } from './shared-system.js';

it('the benchmark measures the pipeline', async () => {
  // The suites before leave a breach, and each sample is a change.
  await running.market.publishMargin('900000.00');
  await waitFor('the end of the breach', () =>
    running.deliveredEvents().some(({ type }) => type === 'settlementbus.margin.restored.v1'),
  );
  const options = { runs: 1, samples: 2, burst: 5, divisor: 1_000 };
  const { figures, report } = await measurePipeline(running, options, () => undefined);
  expect(figures).toMatchObject({ latency: [{ samples: 2 }], throughput: [expect.any(Number)], burst: 5 });
  for (const what of ['pipeline, unloaded, p50', 'BullMQ alone', 'gateway-subscriber'])
    expect(report).toContain(what);
});

import { runApp } from '@ssb/platform';
import { definition } from './settings.js';
import { SubscriberModule } from './subscriber.module.js';

await runApp({
  name: 'subscriber',
  definition,
  module: (settings, log) => SubscriberModule.register(settings, log),
  http: ({ PORT }) => ({ port: PORT }),
});

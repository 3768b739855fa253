import { runApp } from '@ssb/platform';
import { definition } from './settings.js';
import { SubscriberModule } from './subscriber.module.js';

await runApp({
  name: 'subscriber',
  definition,
  module: (settings) => SubscriberModule.register(settings),
  http: ({ PORT }) => ({ port: PORT }),
});

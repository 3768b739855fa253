import { runApp } from '@ssb/platform';
import { PollerModule } from './poller.module.js';
import { definition } from './settings.js';

await runApp({
  name: 'poller',
  definition,
  module: (settings, log) => PollerModule.register(settings, log),
  http: (settings) => ({ port: settings.PORT }),
});

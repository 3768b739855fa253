import { runApp } from '@ssb/platform';
import { PublisherModule } from './publisher.module.js';
import { definition } from './settings.js';

await runApp({
  name: 'bus-publisher',
  definition,
  module: (settings, log) => PublisherModule.register(settings, log),
  http: (settings) => ({ port: settings.PORT }),
});

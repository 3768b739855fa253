import { runApp } from '@ssb/platform';
import { PublisherModule } from './publisher.module.js';
import { definition } from './settings.js';

await runApp({
  name: 'bus-publisher',
  definition,
  module: (settings) => PublisherModule.register(settings),
  http: (settings) => ({ port: settings.PORT }),
});

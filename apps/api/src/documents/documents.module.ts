import { Module } from '@nestjs/common';
import { openDocumentStore, type DocumentStore } from '@ssb/documents';
import { LOGGER, OutgoingConnections, SETTINGS, type Logger } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { Settings } from '../settings.js';
import { DOCUMENTS, Documents } from './documents.js';
import { DocumentsController } from './documents.controller.js';

/** The PDFs of invoices. */
@Module({
  controllers: [DocumentsController],
  providers: [
    {
      provide: DOCUMENTS,
      inject: [SETTINGS, Database, OutgoingConnections, LOGGER],
      useFactory: (
        settings: Settings,
        database: Database,
        connections: OutgoingConnections,
        log: Logger,
      ): Promise<DocumentStore | undefined> =>
        openDocumentStore({ settings, openDatabase: () => database, connections, log }),
    },
    Documents,
  ],
})
export class DocumentsModule {}

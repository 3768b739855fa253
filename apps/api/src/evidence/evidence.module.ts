import { Module } from '@nestjs/common';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { DeliveryRecords } from './delivery-records.js';
import { EventEvidence } from './event-evidence.js';
import { EvidenceController } from './evidence.controller.js';
import { KeyHistory } from './key-history.js';

/** What proves an event to others. */
@Module({
  imports: [DeliveriesModule],
  controllers: [EvidenceController],
  providers: [EventEvidence, DeliveryRecords, KeyHistory],
})
export class EvidenceModule {}

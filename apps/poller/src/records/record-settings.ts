import { defineSettings, integer } from '@ssb/platform';

/** The bounds of the record store in Redis. */
export const recordSettings = defineSettings({
  RECORD_STORE_MAX_BYTES: {
    schema: integer({ min: 1_024, max: 17_179_869_184 }),
    default: '67108864',
    doc: 'Maximum size of the record store in Redis, which keeps the full records of summarised statements; the same for all pollers with one QUEUE_PREFIX.',
  },
  RECORD_STORE_MAX_AGE_DAYS: {
    schema: integer({ min: 1, max: 36_500 }),
    default: '400',
    doc: 'Maximum age of a full record; the same for all pollers with one QUEUE_PREFIX.',
  },
});

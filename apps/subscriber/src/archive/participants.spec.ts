import { openSubscriberDatabase, type SubscriberDatabase } from '../../test/support/subscriber-database.js';
import { recordParticipants } from './participants.js';

describe('recordParticipants', () => {
  let storage: SubscriberDatabase;
  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  afterAll(() => storage.close());

  it('keeps the time of the first write, whichever replica made it', async () => {
    const { database } = storage;
    const [one, other] = await Promise.all([
      recordParticipants(database, ['ALPHA', 'BETA', 'ALPHA']),
      recordParticipants(database, ['BETA', 'ALPHA']),
    ]);
    expect(one.get('ALPHA')).toBeInstanceOf(Date);
    expect(other).toEqual(one);
    const later = await recordParticipants(database, ['ALPHA', 'GAMMA']);
    expect(later.get('ALPHA')).toEqual(one.get('ALPHA'));
    expect(later.get('GAMMA')?.getTime()).toBeGreaterThanOrEqual(one.get('ALPHA')?.getTime() ?? NaN);
  });
});

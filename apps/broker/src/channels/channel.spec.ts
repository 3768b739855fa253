import { changeChannel, createChannel, type ChannelRequest } from './channel.js';
import type { Fqcn } from './names.js';

const fqcn = 'a.channels.b.apps.c.iam.d' as Fqcn;
const created = createChannel(
  { fqcn, publishers: ['did:ethr:0xab'], topics: [{ namespace: 't', schema: '{}' }] },
  { maxMsgAge: 1_000_000, maxMsgSize: 10 },
  'did:ethr:0xce',
  new Date('2026-01-01T00:00:00Z'),
);

describe('a channel', () => {
  it('is created with defaults for missing fields', () => {
    expect(created).toEqual({
      fqcn,
      topics: [{ namespace: 't', schema: '{}' }],
      admins: [],
      publishers: ['did:ethr:0xab'],
      maxMsgAge: 1_000_000,
      maxMsgSize: 10,
      createdBy: 'did:ethr:0xce',
      createdDateTime: '2026-01-01T00:00:00.000Z',
    });
  });

  it.each<[string, Omit<ChannelRequest, 'fqcn'>, object]>([
    ['nothing', {}, {}],
    ['topics', { topics: [] }, { topics: [] }],
    ['subscribers', { subscribers: ['did:ethr:0x1'] }, { subscribers: ['did:ethr:0x1'] }],
    ['a removed restriction', { publishers: null }, { publishers: undefined }],
    ['limits', { maxMsgAge: 5, maxMsgSize: 6 }, { maxMsgAge: 5, maxMsgSize: 6 }],
    ['admins', { admins: ['did:ethr:0x2'] }, { admins: ['did:ethr:0x2'] }],
  ])('changes only by %s', (_, request, expected) => {
    const at = new Date('2026-02-01T00:00:00Z');
    expect(changeChannel(created, { fqcn, ...request }, 'did:ethr:0xad', at)).toEqual({
      ...created,
      ...expected,
      modifiedBy: 'did:ethr:0xad',
      modifiedByDateTime: '2026-02-01T00:00:00.000Z',
    });
  });
});

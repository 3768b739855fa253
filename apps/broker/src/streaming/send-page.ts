import { messageId } from '../messages/bus-message.js';
import type { Gap } from '../storage/message-log.js';
import { busMessage, PAGE_BYTES } from '../messages/read-messages.js';
import type { Feed } from './channel-feeds.js';
import { MIB } from './outlet.js';
import type { SubscriptionContext } from './subscription.js';

/** Maximum of messages of one channel in a row: a quiet one waits no longer than it takes to send these. */
const MAX_IN_A_ROW = 32;

/** Payload bytes of a page; of a channel with larger messages, as many as one of them. */
const USUAL_PAGE_BYTES = MIB;

/**
 * Sends what comes next on a channel, which then goes behind all others. Waits for its turn before it reads: a client that does not
 * read its socket would otherwise have a page in memory for each of its subscriptions. False, having sent nothing, when the right to read
 * it is gone.
 * @throws EngineUnavailableError, StreamClosedError; the channel then stays behind
 */
export function sendPage(context: SubscriptionContext, feed: Feed): Promise<boolean> {
  const bytes = Math.min(PAGE_BYTES, Math.max(USUAL_PAGE_BYTES, feed.logChannel.largestMessage));
  return context.outlet.pages(Math.ceil(bytes / MIB), async () => {
    if (!context.wanted()) return true;
    feed.behind = false;
    try {
      return await readAndSend(context, feed, bytes);
    } catch (error) {
      feed.behind = true;
      throw error;
    }
  });
}

async function readAndSend(context: SubscriptionContext, feed: Feed, bytes: number): Promise<boolean> {
  const { did, request, outlet, parts, feeds, wanted } = context;
  const page = { limit: Math.min(MAX_IN_A_ROW, feeds.room), bytes };
  const [admission, batch] = await Promise.all([
    parts.directory.admitAgain(did, 'subscribe', feed.fqcn),
    parts.messages.readAfter(feed.logChannel, feed.cursor, page),
  ]);
  if (!admission.ok) {
    feed.behind = true;
    return false;
  }
  if (batch.gap) await sendGap(context, feed, batch.gap);
  const last = batch.entries.at(-1);
  if (batch.more) feed.behind = true;
  feeds.toEnd(feed);
  if (!last || !wanted()) return true;
  for (const { position, payload } of batch.entries) {
    feed.book.record(messageId(feed.fqcn, position), position, Buffer.byteLength(payload));
  }
  feed.cursor = last.position;
  const messages = batch.entries.map((entry) => busMessage(feed.fqcn, entry));
  await outlet.send({ type: 'messages', subscription: request.subscription, messages });
  parts.pushed.inc(messages.length);
  return true;
}

/** Before what follows is sent. The stored position stays, so that a client which goes away now is told again. */
async function sendGap(
  { did, request, outlet, parts }: SubscriptionContext,
  feed: Feed,
  gap: Gap,
): Promise<void> {
  const { fqcn } = feed;
  const [after, upTo] = [messageId(fqcn, gap.after), messageId(fqcn, gap.upTo)];
  const { subscription, clientId, gaps = false } = request;
  parts.log.warn({ fqcn, did, clientId, after, upTo }, 'retention overtook a reader');
  parts.gaps.inc();
  if (gaps) await outlet.send({ type: 'gap', subscription, fqcn, after, upTo });
  feed.cursor = gap.upTo;
}

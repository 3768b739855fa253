import { Agent, request } from 'undici';
import { z } from 'zod';

/** The node gave no balance. The reason holds nothing of its address, which may carry a key of the node's operator. */
export class BalanceUnknownError extends Error {
  override readonly name = 'BalanceUnknownError';
}

/** The largest answer that is read, bytes: a balance takes a hundred. */
const LARGEST_ANSWER = 16_384;
/** One question of ours; the answer must carry the same number (JSON-RPC 2.0 §5). */
const ID = 1;

const answer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.literal(ID),
  /** A quantity of at most 256 bits. */
  result: z.string().regex(/^0x[0-9a-fA-F]{1,64}$/),
});

/** One EVM node, asked by JSON-RPC over HTTP: one connection, one time limit, nothing retried. */
export class EvmNode {
  private readonly agent = new Agent({ connections: 1 });

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
  ) {}

  /** `eth_getBalance` at the latest block, in wei. @throws BalanceUnknownError */
  async balanceOf(address: string): Promise<bigint> {
    const limit = AbortSignal.timeout(this.timeoutMs);
    try {
      const { statusCode, body } = await request(this.url, {
        method: 'POST',
        dispatcher: this.agent,
        signal: limit,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ID,
          method: 'eth_getBalance',
          params: [address, 'latest'],
        }),
      });
      if (statusCode !== 200) {
        await body.dump({ limit: LARGEST_ANSWER });
        throw new BalanceUnknownError(`it answered with status ${statusCode}`);
      }
      return BigInt(readAnswer(await textOf(body)));
    } catch (error) {
      if (error instanceof BalanceUnknownError) throw error;
      if (limit.aborted) throw new BalanceUnknownError(`no answer within ${this.timeoutMs} ms`);
      const code =
        typeof error === 'object' && error !== null && 'code' in error ? error.code : 'no connection';
      throw new BalanceUnknownError(`it cannot be reached (${String(code)})`);
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_ANSWER)
      throw new BalanceUnknownError(`its answer is larger than ${LARGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(text: string): string {
  try {
    return answer.parse(JSON.parse(text)).result;
  } catch {
    throw new BalanceUnknownError('its answer is no balance');
  }
}

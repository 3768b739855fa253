import { once } from 'node:events';
import { freePorts, listensOn } from './ports.js';

it('gives nobody a port that somebody was given, though nothing listens there yet', async () => {
  const given = (await Promise.all(Array.from({ length: 20 }, () => freePorts()))).flatMap(
    Object.values<number>,
  );
  expect(given).toHaveLength(20 * 11);
  expect(new Set(given).size).toBe(given.length);
});

it('gives ports that can be listened on', async () => {
  for (const port of Object.values(await freePorts())) {
    const server = await listensOn(port);
    expect(server?.address()).toMatchObject({ port });
    expect(await listensOn(port)).toBeUndefined();
    server?.close();
    await once(server ?? process, 'close');
  }
});

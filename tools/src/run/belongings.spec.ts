import { Belongings, InterruptedError } from './belongings.js';

describe('belongings', () => {
  it('gives everything back, last first, each once', async () => {
    const belongings = new Belongings();
    const given: string[] = [];
    await belongings.keep(() => void given.push('redis'));
    await belongings.keep(() => void given.push('system'));
    await Promise.all([belongings.release(), belongings.release()]);
    expect(given).toEqual(['system', 'redis']);
    expect(belongings.released).toBe(true);
  });

  it('gives back at once what comes up too late, and lets its starter go no further', async () => {
    const belongings = new Belongings();
    await belongings.release();
    const given: string[] = [];
    await expect(belongings.keep(() => void given.push('late'))).rejects.toThrow(InterruptedError);
    expect(given).toEqual(['late']);
  });

  it('gives the others back when one fails, and tells of it', async () => {
    const belongings = new Belongings();
    const given: string[] = [];
    await belongings.keep(() => void given.push('redis'));
    await belongings.keep(() => Promise.reject(new Error('stuck')));
    await expect(belongings.release()).rejects.toMatchObject({ errors: [new Error('stuck')] });
    expect(given).toEqual(['redis']);
  });
});

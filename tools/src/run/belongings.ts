/** Something came up after the run was asked to end; it has been given back. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('asked to stop while starting');
  }
}

type Release = () => Promise<void> | void | undefined;

/** What a run has started and must give back, so that nothing stays behind however and whenever it ends. */
export class Belongings {
  private readonly releases: Release[] = [];
  private releasing: Promise<void> | undefined;

  /** Whether they have been, or are being, given back. */
  get released(): boolean {
    return this.releasing !== undefined;
  }

  /**
   * Notes how to give back what has just come up.
   * @throws InterruptedError when the run was asked to end meanwhile; what came up is given back at once
   */
  async keep(release: Release): Promise<void> {
    if (this.released) {
      await release();
      throw new InterruptedError();
    }
    this.releases.push(release);
  }

  /**
   * Gives everything back, last first, each once; asking twice is harmless. One that fails does not keep the others.
   * @throws AggregateError of the failures
   */
  release(): Promise<void> {
    return (this.releasing ??= this.releaseAll());
  }

  private async releaseAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const release of this.releases.splice(0).reverse()) {
      try {
        await release();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be given back');
  }
}

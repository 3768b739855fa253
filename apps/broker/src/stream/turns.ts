interface Waiting {
  readonly weight: number;
  readonly begin: () => void;
}

/** Room that pieces of work share: as many go on at once as fit into it, in the order in which they asked. */
export class Turns {
  private readonly waiting: Waiting[] = [];
  private free: number;

  /** @param room in the unit of the weights */
  constructor(private readonly room: number) {
    this.free = room;
  }

  /** Does a piece of work when there is room for it; one that is heavier than all the room goes alone. @throws what the work throws */
  async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(weight, this.room);
    await this.enter(taken);
    try {
      return await work();
    } finally {
      this.free += taken;
      this.admit();
    }
  }

  private enter(weight: number): Promise<void> {
    return new Promise((begin) => {
      this.waiting.push({ weight, begin });
      this.admit();
    });
  }

  private admit(): void {
    for (;;) {
      const [next] = this.waiting;
      if (!next || next.weight > this.free) return;
      this.waiting.shift();
      this.free -= next.weight;
      next.begin();
    }
  }
}

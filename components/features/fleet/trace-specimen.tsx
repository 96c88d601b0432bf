import { hatchPath, tornEdgePath } from '../../charts/torn-edge';
import { cutTail, stepPath } from '../../charts/trace-path';
import { AXIS_END } from '../../sessions/fleet-query';
import {
  SPECIMEN_BOUNDARY,
  SPECIMEN_CONTEXTS,
  SPECIMEN_MEETS,
  SPECIMEN_NOW,
  SPECIMEN_RESTART,
  SPECIMEN_TEAR,
} from './specimen-data';

const WIDTH = 736;
const HEIGHT = 420;
const STRIP = 9;

const y = (percent: number) => HEIGHT - (percent / AXIS_END) * HEIGHT;
const left = (x: number) => `${x * 100}%`;
const top = (percent: number) => `${(y(percent) / HEIGHT) * 100}%`;
const fine = { vectorEffect: 'non-scaling-stroke' } as const;

const contexts = SPECIMEN_CONTEXTS.map((steps) =>
  steps.map(([x, percent]) => ({ x: x * WIDTH, y: y(percent) })),
);
const LINE = contexts.map((pixels) => stepPath(pixels)).join('');
const LIVE_END = stepPath(cutTail(contexts.at(-1) ?? [], (SPECIMEN_NOW - 0.045) * WIDTH));
const EDGES = [0, STRIP].map((at, side) =>
  tornEdgePath({ seed: `specimen ${side}`, from: 0, to: HEIGHT, at, direction: 'vertical' }),
);
const HATCH = hatchPath({
  x: 0.5,
  y: y(SPECIMEN_TEAR.before),
  width: 8,
  height: y(SPECIMEN_TEAR.after) - y(SPECIMEN_TEAR.before),
});

const NOTES = [
  { title: 'Each turn is a step', text: 'how full the context is now', at: [0.02, 68], end: false },
  { title: 'A tear is a compaction', text: 'the hatch is what was freed', at: [0.4, 22], end: true },
  {
    title: 'A double rule is a restart',
    text: 'a fresh context, from a checkpoint',
    at: [0.52, 13],
    end: false,
  },
  {
    title: 'Dashes go on at this rate',
    text: 'the tick is where they meet the line',
    at: [0.735, 57],
    end: false,
  },
] as const;

/** One hand-drawn trace with everything that one can meet on it; the notes sit in the plot. */
export function TraceSpecimen() {
  return (
    <figure aria-labelledby="specimen-title">
      <div className="relative mr-[112px] ml-[44px] h-[420px] max-md:mr-[76px] max-md:ml-[36px] max-md:h-[280px]">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          fill="none"
          className="absolute inset-0 h-full w-full overflow-visible"
          aria-hidden="true"
        >
          {[10, 20, 30, 40, 50, 60, 70, 80, 90, 110].map((percent) => (
            <path key={percent} d={`M0 ${y(percent)}H${WIDTH}`} stroke="var(--hair)" {...fine} />
          ))}
          {[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map((x) => (
            <path key={x} d={`M${x * WIDTH} 0V${HEIGHT}`} stroke="var(--hair)" {...fine} />
          ))}
          <path d={`M${SPECIMEN_NOW * WIDTH} 0V${HEIGHT}`} stroke="var(--hair2)" {...fine} />
          <path d={`M0 ${HEIGHT}H${WIDTH}`} stroke="var(--ink)" {...fine} />
          <path d={`M0 ${y(100)}H${WIDTH}`} stroke="var(--ink)" {...fine} />
          <path d={`M0 ${y(SPECIMEN_BOUNDARY)}H${WIDTH}`} stroke="var(--ink)" strokeWidth="1.25" {...fine} />
          <path d={LINE} stroke="var(--ink)" strokeWidth="1.75" {...fine} />
          <g data-state="warning" stroke="var(--mark)">
            <path d={LIVE_END} strokeWidth="3" {...fine} />
            <path
              d={`M${SPECIMEN_NOW * WIDTH} ${y(79)}L${SPECIMEN_MEETS * WIDTH} ${y(SPECIMEN_BOUNDARY)}`}
              strokeDasharray="2 2"
              {...fine}
            />
            <path d={`M${SPECIMEN_MEETS * WIDTH} ${y(SPECIMEN_BOUNDARY) - 6}v12`} strokeWidth="3" {...fine} />
          </g>
        </svg>
        <svg
          width={STRIP}
          viewBox={`0 0 ${STRIP} ${HEIGHT}`}
          preserveAspectRatio="none"
          fill="none"
          className="absolute inset-y-0 h-full -translate-x-1/2 overflow-visible bg-paper"
          style={{ left: left(SPECIMEN_TEAR.x) }}
          aria-hidden="true"
        >
          <path d={EDGES.join('')} stroke="var(--ink3)" strokeWidth=".75" />
          <path d={HATCH} stroke="var(--ink)" strokeWidth=".9" />
        </svg>
        <div
          className="absolute inset-y-0 w-[4.5px] -translate-x-1/2 border-x border-ink bg-paper"
          style={{ left: left(SPECIMEN_RESTART) }}
        >
          <span className="num absolute -top-[18px] left-1/2 -translate-x-1/2 text-small">2</span>
        </div>
        {NOTES.map(({ title, text, at: [x, percent], end }) => (
          <p
            key={title}
            className={`absolute max-xl:hidden ${end ? '-translate-x-full text-right' : ''}`}
            style={{ left: left(x), top: top(percent) }}
          >
            <b className="block leading-[16px]">{title}</b>
            <span className="text-small text-ink2">{text}</span>
          </p>
        ))}
        {[0, 50, 100].map((percent) => (
          <span
            key={percent}
            className="num absolute right-[calc(100%+10px)] -translate-y-1/2 text-small text-ink2"
            style={{ top: top(percent) }}
          >
            {percent === 100 ? '100 %' : percent}
          </span>
        ))}
        <Line percent={100}>limit</Line>
        <Line percent={SPECIMEN_BOUNDARY}>client compacts</Line>
        <span
          className="absolute top-full -translate-x-1/2 pt-[6px] text-small"
          style={{ left: left(SPECIMEN_NOW) }}
        >
          now
        </span>
      </div>
      <figcaption className="pt-[40px] xl:sr-only">
        <dl className="grid gap-x-[24px] gap-y-[8px] sm:grid-cols-2">
          {NOTES.map(({ title, text }) => (
            <div key={title}>
              <dt className="font-medium">{title}</dt>
              <dd className="text-small text-ink2">{text}</dd>
            </div>
          ))}
        </dl>
      </figcaption>
    </figure>
  );
}

function Line({ percent, children }: { percent: number; children: React.ReactNode }) {
  return (
    <span
      className="absolute left-[calc(100%+12px)] -translate-y-1/2 text-small leading-[13px] md:whitespace-nowrap"
      style={{ top: top(percent) }}
    >
      {children}
    </span>
  );
}

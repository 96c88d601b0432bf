import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { hatchPath, tornEdgePath } from '../charts/torn-edge';
import { formatPercent } from '../format/format-percent';
import { StateLabel } from '../ui/state-label';

const LEGEND = [
  ['nominal', `below ${formatPercent(DEFAULT_THRESHOLDS.elevated)}`],
  ...(['elevated', 'warning', 'critical', 'redlined'] as const).map(
    (state) => [state, `from ${formatPercent(DEFAULT_THRESHOLDS[state])}`] as const,
  ),
  ['unknown', 'no reading yet'],
] as const;

/** A drawn trace with its signs, and the pressure states. */
export function HowToRead() {
  return (
    <>
      <h2 id="specimen-title" className="text-title">
        How to read the trace
      </h2>
      <p className="pb-[32px] text-small text-ink2">A drawn example, turn by turn</p>
      <TraceSpecimen />
      <ul className="mt-[40px] grid grid-cols-6 gap-y-[16px] border-t border-hair pt-[16px] max-xl:grid-cols-3 max-md:grid-cols-2">
        {LEGEND.map(([state, text]) => (
          <li key={state}>
            <StateLabel state={state} hang />
            <span className="block pl-[18px] text-small text-ink2">{text}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A drawn example, 100 wide, on an axis that ends at 110 %. */
const CONTEXTS = [
  'M0 97H1.6V89H3.4V83H7.8V77H10.2V73H19.8V62H20.2V54H22.2V50H24.6V46H30.7V41H37.2V32H39.2V28H41.5',
  'M42.1 82H43.5V77H45.9V73H50.5',
  'M51.1 89H51.4V73H56.5V69H58.2V65H58.8V60H60.4V55H68.4V49H69.2V44H70.6V34H72',
];
const LIVE_END = 'M68.4 49H69.2V44H70.6V34H72';
const GRID = [10, 20, 30, 40, 50, 60, 70, 80, 90].map((at) => `M0 ${at}H100M${at} 0V110`).join('');
const EDGES = [0, 9].map((at) =>
  tornEdgePath({ seed: `specimen ${at}`, from: 0, to: 330, at, direction: 'vertical' }),
);
const HATCH = hatchPath({ x: 0.5, y: 84, width: 8, height: 162 });

/** The place of a note is inside the plot where there is room, else below it. */
const TRACE_NOTES = [
  ['Each turn is a step', 'how full the context is now', 'xl:left-[2%] xl:top-[33%]'],
  ['A tear is a compaction', 'the hatch is what was freed', 'xl:right-[60.5%] xl:top-[76%] xl:text-right'],
  ['A double rule is a restart', 'a fresh context, from a checkpoint', 'xl:left-[52.5%] xl:top-[84%]'],
  ['The cone is the forecast', 'the bar is its 80 % range', 'xl:left-[74%] xl:top-[48%]'],
] as const;

const AXIS = [
  [0, '0', ''],
  [50, '50', ''],
  [83.5, '', 'client compacts'],
  [100, '100 %', 'limit'],
] as const;

function TraceSpecimen() {
  return (
    <figure aria-labelledby="specimen-title" className="relative">
      <div className="relative mr-[112px] ml-[44px] h-[330px] xl:h-[420px] min-[120rem]:mr-[132px] min-[120rem]:h-[540px] max-md:mr-[92px] max-md:ml-[36px]">
        <svg
          viewBox="0 0 100 110"
          preserveAspectRatio="none"
          fill="none"
          className="absolute h-full w-full [&_path]:[vector-effect:non-scaling-stroke]"
          aria-hidden="true"
        >
          <path d={GRID} stroke="var(--hair)" />
          <path d="M72 0V110" stroke="var(--hair2)" />
          <path d="M0 10H100M0 26.5H100M0 110H100" stroke="var(--ink)" />
          <path d={CONTEXTS.join('')} stroke="var(--ink)" strokeWidth="1.75" />
          <g data-state="warning" stroke="var(--mark)">
            <path d={LIVE_END} strokeWidth="3" />
            <path d="M72 34L75 26.5H81.5z" fill="var(--mark)" fillOpacity=".12" stroke="none" />
            <path d="M75 26.5L72 34L81.5 26.5" strokeWidth=".75" strokeDasharray="2 2" />
            <path d="M75 26.5H81.5" strokeWidth="3.5" />
          </g>
        </svg>
        <svg
          width="9"
          viewBox="0 0 9 330"
          preserveAspectRatio="none"
          fill="none"
          className="absolute left-[41.5%] h-full -translate-x-1/2 overflow-visible bg-paper"
          aria-hidden="true"
        >
          <path d={EDGES.join('')} stroke="var(--ink3)" strokeWidth=".75" />
          <path d={HATCH} stroke="var(--ink)" strokeWidth=".9" />
        </svg>
        <div className="absolute left-[50.5%] h-full w-[4.5px] border-x border-ink bg-paper" />
        {AXIS.map(([percent, name, line]) => (
          <div
            key={percent}
            className="absolute inset-x-0 text-small leading-[0] whitespace-nowrap"
            style={{ top: `${100 - (percent / 110) * 100}%` }}
          >
            <span className="num absolute right-[calc(100%+10px)] text-ink2">{name}</span>
            <span className="absolute left-[calc(100%+12px)]">{line}</span>
          </div>
        ))}
        <span className="absolute top-full left-[72%] -translate-x-1/2 pt-[6px] text-small">now</span>
      </div>
      <dl className="grid gap-x-[24px] gap-y-[8px] pt-[40px] sm:grid-cols-2 xl:absolute xl:inset-y-0 xl:right-[112px] xl:left-[44px] xl:block xl:pt-0 min-[120rem]:right-[132px]">
        {TRACE_NOTES.map(([title, text, place]) => (
          <div key={title} className={`xl:absolute xl:whitespace-nowrap ${place}`}>
            <dt className="font-medium">{title}</dt>
            <dd className="text-small text-ink2">{text}</dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}

import type { AlertCondition } from '@/core/alerts/rule';
import { SelectField } from '../../ui/form-parts';
import { NumberField } from './number-field';
import { CONDITIONS, conditionKey } from './rule-form';

interface ConditionFieldsProps {
  condition: AlertCondition;
  change: (condition: AlertCondition) => void;
}

/** The kind of a condition and its numbers. */
export function ConditionFields({ condition, change }: ConditionFieldsProps) {
  return (
    <>
      <SelectField
        label="Condition"
        value={conditionKey(condition)}
        options={CONDITIONS.map(([key, label]) => [key, label])}
        change={(key) => {
          const chosen = CONDITIONS.find(([known]) => known === key)?.[2];
          if (chosen) change(chosen);
        }}
      />
      <div className="grid grid-cols-3 gap-x-[12px]">
        <Numbers condition={condition} change={change} />
      </div>
    </>
  );
}

const toPercent = (share: number): number => Math.round(share * 100);

function Numbers({ condition, change }: ConditionFieldsProps) {
  switch (condition.kind) {
    case 'pressure': {
      const { clear, ...plain } = condition;
      return (
        <>
          <NumberField
            label="Threshold, %"
            value={toPercent(condition.atLeast)}
            change={(value) => change({ ...plain, atLeast: value / 100 })}
          />
          <NumberField
            label="Resolve below, %"
            placeholder="the line"
            value={clear === undefined ? null : toPercent(clear)}
            change={(value) => change(value === 0 ? plain : { ...plain, clear: value / 100 })}
          />
        </>
      );
    }
    case 'forecast': {
      const { clear: _clear, ...plain } = condition;
      return (
        <>
          <NumberField
            label="Within"
            value={condition.within}
            change={(within) => change({ ...plain, within })}
          />
          <SelectField
            label="Unit"
            value={condition.unit}
            options={['minutes', 'turns'].map((unit) => [unit, unit])}
            change={(unit) => change({ ...plain, unit: unit === 'turns' ? 'turns' : 'minutes' })}
          />
          <SelectField
            label="Range end"
            value={condition.end}
            options={[
              ['low', 'earliest'],
              ['mid', 'median'],
              ['high', 'latest'],
            ]}
            change={(end) => change({ ...plain, end: end === 'low' || end === 'high' ? end : 'mid' })}
          />
        </>
      );
    }
    case 'silent':
    case 'runner_disconnected':
      return (
        <NumberField
          label="Minutes"
          value={condition.minutes}
          change={(minutes) => change({ ...condition, minutes })}
        />
      );
    case 'runner_queue':
      return (
        <NumberField
          label="Items"
          value={condition.items}
          change={(items) => change({ ...condition, items })}
        />
      );
    default:
      return null;
  }
}

"""A sweep as a test of ReFrame 4: reframe -c reframe_test.py -r

Times and gaps of all studies become performance variables. Give `reference` the figures of your system.
"""
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn

PLAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'nightly.json')


def studies():
    """Names of the plan's studies: "name", else the kernel's."""
    with open(PLAN) as plan:
        return [study.get('name', os.path.basename(study['kernel'])) for study in json.load(plan)['studies']]


@rfm.simple_test
class RooftuneNightly(rfm.RunOnlyRegressionTest):
    valid_systems = ['*']
    valid_prog_environs = ['*']
    executable = 'tune'
    executable_opts = ['sweep', PLAN, '-q', '--wait', '--output', 'json=series.json']
    postrun_cmds = [r'''jq -r '.series[].nights[-1] | "study=\(.name) state=\(.state) seconds=\(.seconds.value) gap=\(.gap)"' '''
                    'series.json']
    time_limit = '8h'
    exclusive_access = True

    @sanity_function
    def all_studies_are_done(self):
        return sn.all([sn.assert_found(rf'^study={name} .*state=done', self.stdout) for name in studies()])

    @run_before('performance')
    def read_figures(self):
        for name in studies():
            for figure, unit in (('seconds', 's'), ('gap', '1')):
                self.perf_variables[f'{name}_{figure}'] = sn.make_performance_function(
                    sn.extractsingle(rf'^study={name} .* {figure}=(\S+)', self.stdout, 1, float), unit)

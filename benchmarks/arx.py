"""ARX beside us: reference figures, and a small driver that measures it where a jar is at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

REFERENCE: dict[tuple[str, float], float] = {
    ("loss", 0.0): 44,
    ("loss", 0.02): 804,
    ("loss", 0.05): 891,
    ("loss", 1.0): 3102,
    ("loss arithmetic", 0.05): 887,
    ("loss arithmetic", 1.0): 2633,
    ("non-uniform-entropy", 0.05): 1044,
    ("discernibility", 0.05): 1081,
    ("discernibility monotonic", 0.05): 1077,
    ("average-class-size", 0.05): 1289,
    ("precision", 0.05): 810,
    ("height", 0.05): 1128,
}
"""Best of five in-process milliseconds of ARX 3.9.2 on the reference machine, k = 5."""

SERIES_REFERENCE = {0.02: 6900.0, 1.0: 32400.0}
"""Milliseconds of its nineteen runs k = 2 to 20 on eight quasi-identifiers."""

_DRIVER = """
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Locale;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/** Arguments: table, folder of hierarchies, attributes, then objective@limit@first k@last k ... */
public class Driver {
    static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

    static Metric<?> metric(String name) {
        switch (name) {
            case "loss": return Metric.createLossMetric(AggregateFunction.GEOMETRIC_MEAN);
            case "loss arithmetic":
                return Metric.createLossMetric(AggregateFunction.ARITHMETIC_MEAN);
            case "non-uniform-entropy": return Metric.createEntropyMetric(false);
            case "discernibility": return Metric.createDiscernabilityMetric(false);
            case "discernibility monotonic": return Metric.createDiscernabilityMetric(true);
            case "average-class-size": return Metric.createAECSMetric();
            case "precision": return Metric.createPrecisionMetric();
            case "height": return Metric.createHeightMetric();
            default: throw new IllegalArgumentException(name);
        }
    }

    /** Nanoseconds of the searches; CPU time of these with their output read cell by cell. */
    static long[] once(Data data, String[] part) throws Exception {
        long spent = 0, whole = 0;
        for (int k = Integer.parseInt(part[2]); k <= Integer.parseInt(part[3]); k++) {
            DataHandle handle = data.getHandle();
            handle.release();
            ARXConfiguration configuration = ARXConfiguration.create();
            configuration.addPrivacyModel(new KAnonymity(k));
            configuration.setSuppressionLimit(Double.parseDouble(part[1]));
            configuration.setQualityModel(metric(part[0]));
            long start = System.nanoTime(), began = THREAD.getCurrentThreadCpuTime();
            ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
            spent += System.nanoTime() - start;
            if (!result.isResultAvailable()) throw new IllegalStateException("no result");
            long read = 0;
            for (Iterator<String[]> rows = result.getOutput(false).iterator(); rows.hasNext(); )
                for (String cell : rows.next()) read += cell.length();
            whole += THREAD.getCurrentThreadCpuTime() - began;
            if (read == 0) throw new IllegalStateException("no output");
        }
        return new long[] {spent, whole};
    }

    public static void main(String[] arguments) throws Exception {
        Data data = Data.create(arguments[0], StandardCharsets.UTF_8, ';');
        java.util.List<String> quasi = java.util.Arrays.asList(arguments[2].split(","));
        DataHandle handle = data.getHandle();
        for (int j = 0; j < handle.getNumColumns(); j++) {
            String name = handle.getAttributeName(j);
            if (quasi.contains(name)) {
                String file = arguments[1] + "/adult_hierarchy_" + name + ".csv";
                data.getDefinition().setAttributeType(
                    name, Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
            } else {
                data.getDefinition().setAttributeType(name, AttributeType.INSENSITIVE_ATTRIBUTE);
            }
        }
        for (int at = 3; at < arguments.length; at++) {
            String[] part = arguments[at].split("@");
            for (int warm = 0; warm < 2; warm++) once(data, part);
            double best = Double.MAX_VALUE, whole = Double.MAX_VALUE;
            for (int run = 0; run < 5; run++) {
                long[] spent = once(data, part);
                best = Math.min(best, spent[0] / 1e6);
                whole = Math.min(whole, spent[1] / 1e6);
            }
            System.out.printf(Locale.ROOT, "%s\\t%.3f\\t%.3f%n", arguments[at], best, whole);
        }
    }
}
"""

Job = tuple[str, float, int, int]
"""Objective, suppression limit, first and last k."""


def measure(table: Path, attributes: Sequence[str], jobs: Sequence[Job]) -> dict[Job, float] | None:
    """Best of five milliseconds of a search by ARX for each job; None where there is no jar."""
    found = measure_both(table, attributes, jobs)
    return None if found is None else {job: search for job, (search, _) in found.items()}


def measure_both(
    table: Path, attributes: Sequence[str], jobs: Sequence[Job]
) -> dict[Job, tuple[float, float]] | None:
    """Best of five milliseconds of ARX for each job: the search; CPU time with its output read.

    The latter is that of the thread alone, without collecting garbage and compiling. None where
    there is no jar, with a word why.

    The jar's path is taken from the environment variable ``ARX_JAR``; ``java`` and ``javac`` have
    to be on the path.
    """
    jar = os.environ.get("ARX_JAR")
    if not jar:
        print("ARX: no jar named in ARX_JAR; reference figures are used")
        return None
    if not Path(jar).is_file() or not shutil.which("javac"):
        print("ARX: the jar named in ARX_JAR, or javac, is not there; reference figures are used")
        return None
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "Driver.java"
        source.write_text(_DRIVER)
        subprocess.run(["javac", "-cp", jar, "-d", folder, source], check=True)
        named = {f"{job[0]}@{job[1]}@{job[2]}@{job[3]}": job for job in jobs}
        done = subprocess.run(
            [
                "java",
                "-cp",
                os.pathsep.join([jar, folder]),
                "Driver",
                str(table),
                str(table.parent),
                ",".join(attributes),
                *named,
            ],
            check=True,
            capture_output=True,
            text=True,
        )
    lines = (line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    return {named[name]: (float(search), float(whole)) for name, search, whole in lines}
